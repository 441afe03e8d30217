/// What programs print when they fail, whatever their exit status.
public enum FailureText {
  /// The texts that common runtimes print for uncaught exceptions, and sanitizers for findings.
  public static let usual = [
    "Traceback (most recent call last)",  // Python
    "Exception in thread",  // Java, Kotlin, Scala
    "Node.js v", "error: Uncaught",  // Node, Deno
    "panic: ", " [running]:",  // Go
    "panicked at",  // Rust
    ": Fatal error: ",  // Swift
    "PHP Fatal error: ", "Unhandled exception",  // PHP, .NET, Dart
    "Sanitizer: ",
  ]
}
