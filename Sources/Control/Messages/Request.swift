/// Cancels a running request of the same connection, which then ends with the error `cancelled`.
public enum RequestCancel: ControlMethod {
  /// "request.cancel"
  public static let name = "request.cancel"

  /// What the caller says.
  public struct Params: Codable, Sendable {
    /// The identifier of the request to cancel.
    public var request: RequestID
    /// Names the request.
    public init(request: RequestID) { self.request = request }
  }

  /// What it gets.
  public struct Result: Codable, Sendable {
    /// Whether such a request was running.
    public var cancelled: Bool
    /// Tells whether there was one.
    public init(cancelled: Bool) { self.cancelled = cancelled }
  }
}
