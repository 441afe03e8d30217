import APNSWire

/// Random frame types in which every number may be one that no format has: negative, zero, or as large as can be.
public struct RandomSchema {
  public var generator: SeededGenerator
  private var names = 0

  public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  public mutating func schema() -> FrameSchema {
    names = 0
    let role = pick([.provider, .gateway, .feedback, StreamRole(rawValue: 3), StreamRole(rawValue: 255)])
    let parts = (0..<pick([0, 1, 1, 2, 2, 3])).map { _ in part() }
    return FrameSchema(
      "own", title: "Own", role: role, command: generator.chance(70) ? 0x70 : nil, parts: parts, reference: "invented",
      since: Edition.allCases.randomElement(using: &generator) ?? .standard)
  }

  private mutating func part() -> FrameSchema.Part {
    switch Int.random(in: 0..<20, using: &generator) {
    case 0: return .command
    case 1...8: return .fixed(generator.chance(90) ? number() : field())
    default:
      let length = FrameSchema.Name(name(), "length")
      return .counted(generator.chance(90) ? variable(1) : field(), width: or([1, 2, 4], 90), length: length)
    }
  }

  private mutating func field() -> Field { generator.chance(50) ? number() : variable(1) }

  private mutating func number() -> Field {
    let bytes = or([1, 2, 4, 4, 8], 90)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return field(.integer(bytes: bytes, .code([5: "five", 10: "ten"], named: false)), .priority)
    case 1: return field(.integer(bytes: bytes, .code([8: "eight"], named: true)), .status)
    case 2: return field(.integer(bytes: bytes, .unixSeconds(zero: "never")), pick([.expiry, .timestamp, .other]))
    case 3: return field(.integer(bytes: bytes, .identifier), pick([.identifier, .other]))
    case 4:
      let codes = [UInt64(pick([0, 1, 255])): "one", pick([2, 256, .max]): "two"]
      return field(.integer(bytes: bytes, .code(codes, named: generator.chance(50))), .other)
    default: return field(.integer(bytes: bytes, .number), .other)
    }
  }

  private mutating func variable(_ depth: Int) -> Field {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0, 1: return field(.octets, pick([.token, .other]))
    case 2, 3: return field(.json, pick([.payload, .other]))
    case 4: return field(.text, .other)
    default:
      // A list in a list, and so on, for as long as it takes to be refused.
      if generator.chance(5) { return (0..<pick([3, 300])).reduce(number()) { inner, _ in list([inner]) } }
      var fields: [Field] = []
      for _ in 0..<pick([0, 1, 2, 3]) {
        fields.append(depth < 3 && generator.chance(30) ? variable(depth + 1) : field())
      }
      return list(fields)
    }
  }

  private mutating func list(_ fields: [Field]) -> Field {
    let occurrences: [Item.Occurrence] = [.required(since: .year2017), .optional, .any]
    let items = fields.enumerated().map { index, field in
      let id = generator.chance(95) ? index + 1 : 1
      return Item(ItemID(rawValue: UInt8(id)), name(), field, pick(occurrences))
    }
    return field(.items(items), .other)
  }

  private mutating func field(_ content: Field.Content, _ role: Field.Role) -> Field {
    let sizes = [or([0, 1, 2, 4], 97), or([4, 8, 100], 97)].sorted()
    return Field(
      name(), "a field", content, role: generator.chance(95) ? role : pick(Field.Role.allCases),
      plausible: generator.chance(30) ? sizes[0]...sizes[1] : nil,
      usual: generator.chance(20) ? or([0, 4, 32], 95) : nil)
  }

  /// Usually a name that no other field of the type has.
  private mutating func name() -> String {
    names += 1
    return generator.chance(98) ? "f\(names)" : pick(["f1", "offset", "id", "data"])
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &generator)]
  }

  /// One of `sizes`, or now and then one that no field has.
  private mutating func or(_ sizes: [Int], _ percent: Int) -> Int {
    if generator.chance(percent) { return pick(sizes) }
    return pick([.min, .min + 1, -1, 0, 3, 8, 9, 64, 65_536, Int(Int32.max), Int(Int32.max) + 1, .max - 1, .max])
  }
}
