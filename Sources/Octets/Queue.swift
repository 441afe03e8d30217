/// A queue: elements are appended at its end and removed from its front, each in constant time on average.
///
/// Removing the first element of an array moves all others, so emptying a long one that way takes quadratic time.
public struct Queue<Element> {
  /// The elements at the front, the first one last.
  private var front: [Element] = []
  /// The elements after `front`, in order.
  private var back: [Element] = []

  /// An empty queue.
  public init() {}

  /// Whether the queue has no elements.
  public var isEmpty: Bool { front.isEmpty && back.isEmpty }

  /// The first element; nil if there is none.
  public var first: Element? { front.last ?? back.first }

  /// Adds an element at the end.
  public mutating func append(_ element: Element) { back.append(element) }

  /// Removes and returns the first element; nil if there is none.
  public mutating func popFirst() -> Element? {
    if front.isEmpty {
      swap(&front, &back)
      front.reverse()
    }
    return front.popLast()
  }
}

extension Queue: Sendable where Element: Sendable {}
