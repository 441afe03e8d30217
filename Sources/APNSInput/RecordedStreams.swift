import Octets

/// Records the calls to a sink, to replay them when a packet has been processed, or in another thread while more of the
/// input is read.
///
/// While recording, the sink's answers are assumed: it always wants more input and holds no bytes.
package struct RecordedStreams: StreamSink, ~Copyable {
  private var bytes: [UInt8] = []
  private var calls: [Call] = []

  private enum Call {
    case open(ByteStream)
    case append(count: Int, Origin, stream: Int)
    case gap(Int, stream: Int)
    case overlap(count: Int, at: Int, Origin, stream: Int)
    case close(Int, StreamEnding)
    case forget(Int)
  }

  package init() {}

  package var wantsMore: Bool { true }
  package mutating func open(_ stream: ByteStream) { calls.append(.open(stream)) }

  package mutating func append(_ span: Span<UInt8>, from origin: Origin, to stream: Int) {
    bytes.append(contentsOf: span)
    calls.append(.append(count: span.count, origin, stream: stream))
  }

  package mutating func gap(of count: Int, in stream: Int) { calls.append(.gap(count, stream: stream)) }

  package mutating func overlap(_ span: Span<UInt8>, at offset: Int, from origin: Origin, in stream: Int) {
    bytes.append(contentsOf: span)
    calls.append(.overlap(count: span.count, at: offset, origin, stream: stream))
  }

  package mutating func close(_ stream: Int, _ ending: StreamEnding) { calls.append(.close(stream, ending)) }
  package mutating func forget(connection: Int) { calls.append(.forget(connection)) }

  /// Replays the recorded calls into `sink`, without bytes and gaps that it does not want, and removes them.
  package mutating func replay(into sink: inout some StreamSink & ~Copyable) {
    var position = 0
    func next(_ count: Int) -> Range<Int> {
      position += count
      return (position - count)..<position
    }
    for call in calls {
      switch call {
      case .open(let stream): sink.open(stream)
      case .append(let count, let origin, let stream):
        let range = next(count)
        if sink.wantsMore { sink.append(bytes.span.extracting(range), from: origin, to: stream) }
      case .gap(let count, let stream): if sink.wantsMore { sink.gap(of: count, in: stream) }
      case .overlap(let count, let offset, let origin, let stream):
        let range = next(count)
        if sink.wantsMore { sink.overlap(bytes.span.extracting(range), at: offset, from: origin, in: stream) }
      case .close(let stream, let ending): sink.close(stream, ending)
      case .forget(let connection): sink.forget(connection: connection)
      }
    }
    bytes.removeAll(keepingCapacity: true)
    calls.removeAll(keepingCapacity: true)
  }
}
