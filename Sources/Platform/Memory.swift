internal import CPlatform

/// The memory of this process.
public enum Memory {
  /// Gives back what was freed, after something that took much of it: glibc keeps it otherwise.
  public static func giveBack() { platform_give_back_memory() }
}
