import APNSQuery
import TestSupport
import Testing

/// What is wrong with a filter, and in which column.
@Suite struct FilterErrorTests {
  private func column(_ text: String) -> Int? {
    do throws(FilterError) {
      _ = try Filter(text, names: .standard)
      return nil
    } catch {
      return error.column
    }
  }

  @Test(arguments: [
    ("", 1), ("  ", 3), ("priority ==", 12), ("priority == 10 &&", 18), ("priority = 10", 10), ("(priority", 1),
    ("priority)", 9), ("priority == 10 identifier", 16), ("== 5", 1), ("identifier in {1, 2", 15),
    ("identifier in {1 2}", 18), ("identifier in {}", 16), ("type == \"abc", 9), (#"type == "a\q""#, 11),
    ("token == <fc", 10), ("identifier in 5..", 18), ("a && b", 1), ("priority && prioritty", 13),
    ("payload contains \"é\" && !", 26), ("not", 4), ("priority & identifier", 10),
  ])
  func pointsAtThePlace(_ text: String, _ column: Int) {
    #expect(self.column(text) == column, "\(text)")
  }

  @Test(arguments: [
    ("priority == \"abc\"", 13), ("priority == abc", 13), ("priority == 256", 13), ("priority == -1", 13),
    ("identifier contains 5", 1), ("token < 00", 1), ("token == xyz", 10), ("token == 0", 10),
    ("type == notifcation", 9),
    ("type < notification", 1), ("type in gap..unparsed", 14), ("condition == whole", 14), ("expiry > yesterday", 10),
    ("time == noon", 9), ("from == nowhere", 9), ("from contains 10", 1), ("finding.severity > bad", 20),
    ("payload.aps.badge > abc", 21), ("payload.aps.badge in 9..1", 22), ("identifier in 200..100", 15),
    ("token in 00..ff", 14), ("identifier in {1, x}", 19), ("payload..badge", 1), ("token.x", 1), ("items", 1),
    ("command == 2 && length == x", 27), ("status == Shutdwn", 11),
  ])
  func refusesWhatTheFieldDoesNotTake(_ text: String, _ column: Int) {
    #expect(self.column(text) == column, "\(text)")
  }

  @Test(arguments: [
    ("prioritty", "\"priority\""), ("payloda.aps", "\"payload\""), ("finding.rul", "\"finding.rule\""),
    ("tpye", "\"type\""), ("nothingLikeIt", "explain --fields"), ("type == notifcation", "\"notification\""),
    ("status == Shutdwn", "\"Shutdown\""),
  ])
  func suggestsWhatWasMeant(_ text: String, _ meant: String) {
    do throws(FilterError) {
      _ = try Filter(text, names: .standard)
      Issue.record("\(text) is taken")
    } catch {
      #expect(error.reason.contains(meant), "\(error)")
    }
  }

  @Test(arguments: [
    ("type == 'notification'", 9, "double quotes"), ("type == \u{201c}gap\u{201d}", 9, "double quotes"),
    ("priority = 5", 10, "=="), ("priority => 5", 10, "=="), ("priority & status", 10, "&&"),
    ("priority AND status", 10, "lower case"), ("priority OR status", 10, "lower case"),
    ("NOT status", 1, "lower case"), ("(priority AND status)", 11, "lower case"),
    ("status == Invalid token", 11, "double quotes"), ("payload.aps.alert == Hi there", 25, "double quotes"),
    ("aps.badge == 1", 1, "\"payload.aps.badge\""),
    ("badge == 1", 1, "\"payload.aps.badge\""), ("severity", 1, "\"finding.severity\""),
    ("findings", 1, "\"finding.rule\""), ("rule", 1, "\"finding.rule\""),
    ("expiry > 2013-11-19", 10, "2013-11-19T00:00:00Z"), ("time > \"2013-11-19 00:00:00\"", 8, "2013-11-19T00:00:00Z"),
  ])
  func saysWhatIsWrittenHere(_ text: String, _ column: Int, _ advice: String) {
    do throws(FilterError) {
      _ = try Filter(text, names: .standard)
      Issue.record("\(text) is taken")
    } catch {
      #expect(error.column == column && error.reason.contains(advice), "\(text): \(error)")
    }
  }

  @Test(arguments: ["(", "!", "not ", "! ("]) func boundsItsDepth(_ opening: String) throws {
    #expect(column(String(repeating: opening, count: 10_000)) != nil)
    let closing = opening == "(" ? ")" : ""
    let nested = {
      String(repeating: opening == "! (" ? "!" : opening, count: $0) + "status" + String(repeating: closing, count: $0)
    }
    #expect(throws: Never.self) { try Filter(nested(255), names: .standard) }
    #expect(throws: FilterError.self) { try Filter(nested(256), names: .standard) }
  }

  /// Any text is refused within its columns, or has a negation that lets through the other records.
  @Test func takesOrRefusesAnyText() {
    for run in 0..<6_000 {
      let seed = runSeed &+ UInt64(run)
      var stream = RandomStream(seed: seed)
      var random = RandomFilter(generator: stream.generator)
      var text = Array(random.text(random.any()).utf8)
      stream.generator = random.generator
      if stream.generator.chance(70) { text = stream.mutated(text) }
      let violation = FilterLaw.violation(text + [0] + stream.any())
      #expect(violation == nil, "APNSCOPE_SEED=\(seed)")
    }
  }

  /// Long is not deep.
  @Test func takesLongChains() {
    let chain = Array(repeating: "status == 8", count: 20_000)
    #expect(throws: Never.self) { try Filter(chain.joined(separator: " || "), names: .standard) }
    #expect(throws: Never.self) { try Filter(chain.joined(separator: " and "), names: .standard) }
  }
}
