// Apart from what imports libfuse: `mode_t` must come from Glibc alone to be public.
public import Glibc

extension Reply {
  /// The caller's umask, for requests that create something; else 0.
  public var umask: mode_t { answer.umask }
}
