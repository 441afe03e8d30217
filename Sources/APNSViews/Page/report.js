'use strict';
(() => {
  // Everything from the input becomes text of nodes, never markup.
  const $ = id => document.getElementById(id);
  const report = JSON.parse($('report-data').textContent);
  const records = $('records-data').textContent.split('\n').filter(line => line).map(parseRecord);
  for (const id of ['report-data', 'records-data']) $(id).remove();
  const connections = report.connections;
  const connectionOf = new Map(connections.map(connection => [connection.connection, connection]));
  // Two streams are a connection, or the two sides of an input without connections.
  const pair = entry => Math.floor(entry.stream / 2);
  const rowHeight = 20;
  const grouped = number => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
  const plural = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

  /// `JSON.parse` rounds integers of more than 15 digits, so they become strings.
  function parseRecord(line) {
    const quoted = (match, string) => string ?? `"${match}"`;
    return JSON.parse(/[:,[]-?\d{16}/.test(line) ? line.replace(/("(?:[^"\\]+|\\.)*")|-?\d{16,}/g, quoted) : line);
  }

  // MARK: Text

  // Control characters, and format characters that hide or reorder text; emoji need the joiners.
  const invisible = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu;

  function make(name, type, text) {
    const element = document.createElement(name);
    if (type) element.className = type;
    if (text !== undefined) put(element, text);
    return element;
  }

  function put(element, value) {
    const text = String(value);
    let end = 0;
    for (const match of text.matchAll(invisible)) {
      if (match.index > end) element.append(text.slice(end, match.index));
      const escape = document.createElement('span');
      escape.className = 'escape';
      escape.textContent = `\\u{${match[0].codePointAt(0).toString(16)}}`;
      element.append(escape);
      end = match.index + match[0].length;
    }
    if (end < text.length) element.append(text.slice(end));
    return element;
  }

  const cut = (text, most) => text.length > most ? text.slice(0, most).replace(/[\ud800-\udbff]$/, '') + '...' : text;
  const utc = moment => { try { return new Date(moment).toISOString().replace('T', ' ').replace('Z', ' UTC'); } catch { return String(moment); } };

  // MARK: Lists

  /// A list of rows of equal height, of which only those in view exist, or of rows that wrap. `fill` makes the contents of a row.
  class List {
    constructor(element, { fill, choose, open, role = 'option', wraps = false }) {
      Object.assign(this, { element, fill, choose, open, role, wraps, count: 0, current: -1, first: 0, last: 0 });
      this.space = make('div', 'space');
      this.space.setAttribute('role', 'presentation');
      element.append(this.space);
      element.addEventListener('scroll', () => this.draw());
      new ResizeObserver(() => this.draw()).observe(element);
      element.addEventListener('keydown', event => this.key(event));
      if (role === 'option') element.addEventListener('click', event => {
        const row = event.target.closest('.row');
        if (row) this.select(Number(row.dataset.index));
      });
    }

    resize(count) {
      this.count = count;
      this.current = -1;
      if (this.role === 'row') this.element.setAttribute('aria-rowcount', count);
      if (!this.wraps) {
        this.space.style.height = `${count * rowHeight}px`;
        this.element.style.height = `${count * rowHeight + 2}px`;
      }
      this.element.scrollTop = 0;
      this.first = this.last = -1;
      this.draw();
    }

    draw(anew) {
      const first = this.wraps ? 0 : Math.max(0, Math.floor(this.element.scrollTop / rowHeight) - 8);
      const last = this.wraps ? this.count : Math.min(this.count, Math.ceil((this.element.scrollTop + this.element.clientHeight) / rowHeight) + 8);
      if (!anew && first === this.first && last === this.last) return;
      [this.first, this.last] = [first, last];
      const rows = [];
      for (let index = first; index < last; index++) {
        const row = make('div', 'row');
        row.id = `${this.element.id}-${index}`;
        row.dataset.index = index;
        if (!this.wraps) row.style.top = `${index * rowHeight}px`;
        row.setAttribute('role', this.role);
        if (this.role === 'option') {
          row.setAttribute('aria-setsize', this.count);
          row.setAttribute('aria-posinset', index + 1);
          row.setAttribute('aria-selected', index === this.current);
        } else {
          row.setAttribute('aria-rowindex', index + 1);
        }
        if (index === this.current && this.role === 'option') row.classList.add('on');
        this.fill(row, index);
        rows.push(row);
      }
      this.space.replaceChildren(...rows);
      const active = this.role === 'option' && this.current >= first && this.current < last;
      if (active) this.element.setAttribute('aria-activedescendant', `${this.element.id}-${this.current}`);
      else if (this.role === 'option') this.element.removeAttribute('aria-activedescendant');
    }

    show(index) {
      const row = this.wraps ? this.space.children[index] : null, height = this.element.clientHeight;
      const top = row?.offsetTop ?? index * rowHeight, bottom = top + (row?.offsetHeight ?? rowHeight);
      if (top < this.element.scrollTop) this.element.scrollTop = top;
      else if (bottom > this.element.scrollTop + height) this.element.scrollTop = Math.min(top, bottom - height);
    }

    select(index) {
      if (this.count === 0) return;
      this.current = Math.max(0, Math.min(this.count - 1, index));
      this.show(this.current);
      this.draw(true);
      this.choose?.(this.current);
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || (this.role === 'row' && /^[jk]$/.test(event.key))) return;
      const page = Math.max(1, Math.floor(this.element.clientHeight / rowHeight) - 1);
      const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -this.count, End: this.count };
      if (Object.hasOwn(steps, event.key)) this.select(this.current < 0 ? 0 : this.current + steps[event.key]);
      else if (event.key === 'Enter') this.open?.(this.current);
      else return;
      event.preventDefault();
      event.stopPropagation();
    }
  }

  // MARK: Records

  const shapes = { error: '▲', warning: '◆', note: '●' };

  function worst(record) {
    const findings = record.record.findings ?? [];
    for (const severity of report.severities) {
      const found = findings.find(finding => finding.severity === severity);
      if (found) return found;
    }
    return null;
  }

  const short = record => record.record.status === undefined ? title(record) : `status ${record.record.status} ${record.record.status_name ?? ''}`;
  const title = record => record.record.status_name !== undefined
    ? `${record.record.type}, status ${record.record.status}: ${record.record.status_name}`
    : record.record.status !== undefined ? `${record.record.type}, status ${record.record.status}`
    : record.record.reason !== undefined ? `${record.record.type}: ${record.record.reason}` : record.record.type;

  function identifier({ record }) {
    if (record.identifier !== undefined) return String(record.identifier);
    for (const item of record.items ?? []) if (item.identifier !== undefined) return String(item.identifier);
    return '';
  }

  function fillRecord(row, index) {
    const record = shown[index], finding = worst(record);
    row.dataset.lane = record.lane ?? '';
    const lane = make('span', 'lane', { in: '◀', out: '▶' }[record.lane] ?? '');
    if (record.lane) lane.setAttribute('aria-label', record.lane === 'in' ? 'from the service' : 'to the service');
    const name = make('span', `finding ${finding?.severity ?? ''}`);
    if (finding) {
      const count = record.record.findings.length;
      name.setAttribute('aria-label', `${finding.severity} ${finding.rule}`);
      put(name, `${shapes[finding.severity]} ${finding.cause?.id ?? finding.rule}${count > 1 ? ` +${count - 1}` : ''}`);
    }
    row.append(
      make('span', 'stream', record.stream), make('span', 'number', record.number), lane, make('span', 'what', short(record)),
      make('span', 'identifier', identifier(record)), make('span', `fate ${record.fate ?? ''}`, record.fate ?? ''), name,
      make('span', 'when', record.at === undefined ? '' : utc(record.at).slice(11, 23)),
      make('span', 'size', grouped(record.record.length ?? record.record.missing ?? '')));
  }

  let shown = records;
  let connection = null;
  let selected = null;
  const recordList = new List($('records'), {
    fill: fillRecord, choose: index => showRecord(shown[index]), open: () => $('fields').focus(),
  });

  // MARK: Search

  /// The texts and numbers in a record, joined. Made once, when it is first searched.
  function textOf(entry) {
    if (entry.text === undefined) {
      const texts = [`#${entry.number}`, entry.fate ?? '', entry.role ?? ''];
      const add = value => {
        if (typeof value === 'object' && value) Object.values(value).forEach(add); else texts.push(String(value));
      };
      add(entry.record);
      entry.text = texts.join('\n').toLowerCase();
    }
    return entry.text;
  }

  function hasMember(value, name, matches) {
    if (typeof value !== 'object' || !value) return false;
    if (Array.isArray(value)) return value.some(element => hasMember(element, name, matches));
    return Object.keys(value).some(key => key === name && typeof value[key] !== 'object'
      ? matches(String(value[key]).toLowerCase()) : hasMember(value[key], name, matches));
  }

  /// The names of members of an entry; all other names are members of its record.
  const entryMembers = new Set(['fate', 'stream', 'connection', 'number', 'role']);

  function hasBytes(hex, digits) {
    let index = hex.indexOf(digits);
    while (index % 2 === 1) index = hex.indexOf(digits, index + 1);  // in the middle of a byte
    return index >= 0;
  }

  function parse(query) {
    return [...query.matchAll(/(-?)(?:([a-z_]+):)?(?:"([^"]*)"?|(\S+))/gi)].map(([, minus, name, quoted, word]) => {
      const value = (quoted ?? word).toLowerCase();
      const matches = value.endsWith('*') ? text => text.startsWith(value.slice(0, -1)) : text => text === value;
      const test = !name ? entry => textOf(entry).includes(value)
        : name === 'hex' ? entry => hasBytes(entry.hex, value.replace(/\s/g, ''))
        : entryMembers.has(name) ? entry => entry[name] !== undefined && matches(String(entry[name]))
        : entry => hasMember(entry.record, name, matches);
      return minus ? entry => !test(entry) : test;
    });
  }

  function filter() {
    const tests = parse($('search').value);
    if ($('faulty').checked) tests.push(entry => entry.record.findings);
    if (connection !== null) tests.push(entry => pair(entry) === connection);
    shown = tests.length ? records.filter(entry => tests.every(test => test(entry))) : records;
    const all = report.records > records.length ? ` on this page (${grouped(report.records)} in the input)` : '';
    $('matches').textContent = shown.length === records.length
      ? `${plural(records.length, 'record')}${all}` : `${grouped(shown.length)} of ${plural(records.length, 'record')}${all}`;
    recordList.resize(shown.length);
    const index = shown.indexOf(selected);
    if (index >= 0) recordList.select(index);
  }

  function search(text) {
    $('search').value = text;
    filter();
  }

  // MARK: Connections

  // The time line is broken between periods. Each gets a share of the width, and the rest by its duration.
  const { periods } = report, gap = Math.min(30, 300 / periods.length);
  const durations = periods.reduce((sum, { first, last }) => sum + last - first, 0);
  periods.forEach((period, index) => {
    const before = periods[index - 1], share = (durations ? (period.last - period.first) / durations : 1 / periods.length) + 1 / periods.length;
    period.left = before ? before.left + before.width + gap : 0;
    period.width = (1000 - gap * (periods.length - 1)) * share / 2;
  });

  /// Where a moment is on the time line, so that a mark of this width ends in its period.
  function x(moment, width) {
    const period = periods.findLast(({ first }) => first <= moment) ?? periods[0];
    const place = (moment - period.first) / Math.max(1, period.last - period.first) * period.width;
    return period.left + Math.max(0, Math.min(place, period.width - width));
  }

  function drawing(name, attributes) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const key of Object.keys(attributes)) element.setAttribute(key, attributes[key]);
    return element;
  }

  function fillConnection(row, index) {
    const one = connections[index];
    const label = make('span', 'label', one.from ? `${one.connection}  ${one.from} ▶ ${one.to}` : nameOf(one));
    const faults = one.errors ? plural(one.errors, 'error') : one.warnings ? plural(one.warnings, 'warning') : '';
    const stats = make('span', 'stats', `▶ ${grouped(one.sent)} ◀ ${grouped(one.received)} `);
    stats.setAttribute('aria-label', `${one.sent} sent, ${one.received} received, ${faults}`);
    if (faults) stats.append(make('span', one.errors ? 'error' : 'warning', `${shapes[one.errors ? 'error' : 'warning']} ${faults}`));
    row.append(label, stats);
    const line = make('span', 'line');
    if (one.first !== undefined) {
      const svg = drawing('svg', { viewBox: '0 0 1000 20', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
      svg.append(...periods.map(({ left, width }) => drawing('rect', { class: 'axis', x: left, y: 9.5, width, height: 1 })));
      const left = x(one.first, 4);
      svg.append(drawing('rect', { x: left, y: 6, width: Math.max(x(one.last, 0) - left, 4), height: 8 }));
      if (one.answered !== undefined) svg.append(drawing('rect', { class: 'answer', x: x(one.answered, 4), y: 2, width: 4, height: 16 }));
      line.append(svg);
    }
    row.append(line);
  }

  const nameOf = one => one.file?.split('/').pop() ?? 'input';
  const ranges = (list = []) => list.map(([a, b]) => a === b ? `#${a}` : `#${a} to #${b}`).join(', ');

  function showDialogue(number) {
    const one = connectionOf.get(number), box = $('dialogue');
    box.replaceChildren();
    box.hidden = !one;
    if (!one) return;
    const about = one.dialogue;
    const time = one.first === undefined ? '' : `, ${utc(one.first)} to ${utc(one.last)}`;
    box.append(make('p', '', `${one.from ? `Connection ${number}, ${one.from} to ${one.to}` : `Input ${nameOf(one)}`}${time}`));
    if (!about) return;
    const answer = about.status === undefined ? ''
      : `; answered: status ${about.status}, ${about.status_name ?? 'not documented'}, for identifier ${about.identifier}`;
    box.append(make('p', '', `${plural(about.notifications, 'notification')} sent${answer}`));
    for (const fate of Object.keys(one.outcomes)) {
      const line = make('p', fate, `${fate} ${grouped(about[fate])}`);
      line.append(make('span', 'unknown', `  ${ranges(about.numbers[fate])}${one.outcomes[fate]}`));
      box.append(line);
    }
    for (const remark of about.remarks ?? []) box.append(make('p', '', remark));
  }

  const connectionList = new List($('connections'), { fill: fillConnection, choose: index => {
    connection = connections[index].connection;
    showDialogue(connection);
    filter();
  }, open: () => $('records').focus() });

  function clear() {
    connection = null;
    $('faulty').checked = false;
    connectionList.current = -1;
    connectionList.draw(true);
    showDialogue(null);
    search('');
  }

  // MARK: The selected record

  let bytes = new Uint8Array();
  let entries = [];
  let hit = [0, 0];
  let at = -1;
  let faults = [];
  const width = () => window.innerWidth < 1800 ? 8 : 16;
  let perRow = width();

  function octets(hex) {
    const list = new Uint8Array(hex.length / 2);
    for (let index = 0; index < list.length; index++) list[index] = parseInt(hex.substr(index * 2, 2), 16);
    return list;
  }

  // MARK: Fields

  const types = new Map(report.frames.map(type => [type.name, type]));
  const mostRows = 4000;
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decode = part => { try { return decoder.decode(part); } catch { return null; } };
  const inBytes = count => `${count} byte${count === 1 ? '' : 's'}`;
  const number = (offset, width) => bytes.subarray(offset, offset + width).reduce((value, byte) => value << 8n | BigInt(byte), 0n);

  /// The rows of a record: its parts, which tile it, and the lines of JSON after theirs.
  function entriesOf({ record, role }) {
    const type = types.get(record.type), size = record.length, rows = [];
    if (!type) return [{ offset: 0, length: bytes.length, depth: 0, style: 'error', label: record.type, value: '' }];
    let at = 0;
    const add = (length, depth, style, label, value) => {
      rows.push({ offset: at, length, depth, style, label, value });
      at += length;
    };
    const isEmbedded = width => at + width <= bytes.length;

    /// Adds a value: `length` bytes of the `declared` ones.
    function addValue(field, length, declared, depth) {
      const title = field?.title ?? 'data', start = at, isOfSize = field?.bytes === undefined || field.bytes === length;
      if (length < declared) return add(length, depth, 'error', title, `${length} of ${inBytes(declared)}`);
      if (!field || !isOfSize) return add(length, depth, 'error', title, length ? hexOf(at, Math.min(length, 64)) : '(empty)');
      const isJSON = field.type === 'json' && length > 0;
      add(length, depth, isJSON ? 'json' : 'plain', title, isJSON ? '' : valueOf(field, at, length));
      if (isJSON) linesOf(start, length, depth, rows);
    }

    function addItems(list, end, depth) {
      while (at < end) {
        if (end - at < 3) return add(end - at, depth, 'error', 'spare bytes', '');
        if (!isEmbedded(3)) return;
        const item = list.find(({ id }) => id === bytes[at]), declared = Number(number(at + 1, 2));
        add(3, depth - 1, 'header', '', `item ${bytes[at]}: ${item?.name.replaceAll('-', ' ') ?? 'not documented'}, ${inBytes(declared)}`);
        const length = Math.min(declared, end - at), inner = item?.field.items;
        if (inner && length === declared) addItems(inner, at + length, depth + 1); else addValue(item?.field, length, declared, depth);
      }
    }

    if (type.command !== undefined) add(1, 0, 'command', 'command', `${bytes[0]}  ${type.role === role ? type.title.toLowerCase() : ''}`);
    for (const field of type.fields) {
      const width = field.length_bytes ?? field.bytes, head = Math.min(width, size - at);
      if (head === 0 || !isEmbedded(head)) break;
      if (field.length_bytes === undefined) {
        addValue(field, head, width, 0);
      } else if (head < width) {
        add(head, 0, 'header', field.length_title, `cut after ${inBytes(head)}`);
      } else {
        const declared = Number(number(at, width)), length = Math.min(declared, size - at - width);
        add(width, 0, 'header', field.length_title, String(declared));
        if (field.items) addItems(field.items, at + length, 1); else addValue(field, length, declared, 0);
        if (length < declared) break;
      }
    }
    return rows;
  }

  /// A complete value of a field, and what it means.
  function valueOf(field, offset, length) {
    if (length === 0) return '(empty)';
    if (field.type === 'text') return text(offset, Math.min(offset + length, bytes.length));
    if (field.type !== 'integer') return '';
    const value = number(offset, length), words = [value];
    if (field.meaning === 'code') words.push(field.codes[value] ?? 'not documented');
    if (field.meaning === 'unix-seconds') {
      words.push(value === 0n ? field.zero : value < 2n ** 40n ? utc(Number(value) * 1000).replace('.000', '') : 'too large for a date');
    }
    if (field.meaning === 'identifier') {
      const swapped = bytes.slice(offset, offset + length).reverse().reduce((sum, byte) => sum << 8n | BigInt(byte), 0n);
      words.push(`0x${hexOf(offset, length)}`);
      // A small swapped number is likely the sender's, who wrote it in host byte order.
      if (bytes[offset] !== 0 && swapped <= 0xffffn) words.push(`byte-swapped ${swapped}`);
    }
    return words.join('  ');
  }

  const latin = new TextDecoder('latin1');
  const partOfValue = /^(?:-|-?\d+(?:\.|(?:\.\d+)?[eE][+-]?)|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)$/;
  const partOfString = /"(?:[^"\\\x00-\x1f]|\\(?:["\\\/bfnrt]|u[\da-fA-F]{4}))*/y;
  const tokens = /[ \t\n\r]*(?:"(?:[^"\\\x00-\x1f]|\\(?:["\\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.eE])|true|false|null|[{}[\],:])/y;

  /// Adds the lines of JSON: one key, value or bracket each, with the comma and the white space after it. They tile it; the
  /// bytes from the first violation on are one line.
  function linesOf(start, length, depth, rows) {
    // A character for each byte.
    const source = latin.decode(bytes.subarray(start, start + length)), open = [];
    let wants = 'value', end = 0, comma = 0, last = null, first = 0, key = 0, inner = 0;
    const endOfString = from => {
      partOfString.lastIndex = from;
      const to = from + partOfString.exec(source)[0].length;
      return decode(bytes.subarray(start + from, start + to)) === null ? firstIllFormed(start + from, start + to) - start : to;
    };
    const line = (to, isValid = true) => {
      const part = { offset: start + first, length: to - first, depth: depth + inner, key: isValid ? key : -1, isLine: true };
      if (to > first || !isValid) rows.push({ ...part, style: isValid ? 'json' : 'error' });
      [first, key] = [to, 0];
    };
    for (tokens.lastIndex = 0; wants; end = tokens.lastIndex) {
      const token = tokens.exec(source)?.[0].replace(/^[ \t\n\r]+/, '');
      if (!token) break;
      const isNext = wants === token;
      if (isNext && token === ':') { wants = 'value'; continue; }
      if (isNext) { [comma, wants] = [tokens.lastIndex, open.at(-1) === '{' ? 'key' : 'value']; continue; }
      const isString = token[0] === '"', isKey = isString && /key/.test(wants), opens = '{['.includes(token), closes = '}]'.includes(token);
      const isClosing = closes && open.at(-1) === (token === '}' ? '{' : '[') && [',', 'key or }', 'value or ]'].includes(wants);
      if (!isKey && !isClosing && (closes || ',:'.includes(token) || !wants.startsWith('value'))) break;
      if (isString && decode(bytes.subarray(start + tokens.lastIndex - token.length, start + tokens.lastIndex)) === null) break;
      if (closes) open.pop();
      if (last && !last.isKey && !(last.opens && closes)) {
        line(last.opens || closes ? last.end : comma);
        inner = Math.min(open.length, 12);
      }
      if (isKey) key = tokens.lastIndex - first;
      if (opens) open.push(token);
      last = { end: tokens.lastIndex, opens, isKey };
      wants = isKey ? ':' : token === '{' ? 'key or }' : token === '[' ? 'value or ]' : open.length ? ',' : '';
    }
    end += source.slice(end).match(/^[ \t\n\r]*/)[0].length;
    if (comma > (last?.end ?? 0) && '}]'.includes(source[end])) end = comma - 1;
    else if (source[end] === '"' && /key|value/.test(wants)) end = endOfString(end);
    else if (/value/.test(wants) && partOfValue.test(source.slice(end))) end = source.length;
    const isCut = source.length < length;
    line(isCut ? source.length : end);
    if (!isCut && (wants || end < source.length)) line(source.length, false);
  }

  const isHit = ({ offset, length }) => offset < hit[1] && offset + length > hit[0];

  /// Bytes as text; those that are not UTF-8 as escapes.
  function text(start, end) {
    const all = decode(bytes.subarray(start, end));
    if (all !== null) return all;
    let result = '';
    for (let index = start, next; index < end; index = next) {
      const length = lengthOfCharacter(index, end);
      next = index + (length ?? 1);
      result += length ? decode(bytes.subarray(index, next)) : `\\x${hexOf(index, 1)}`;
    }
    return result;
  }

  const lengthOfCharacter = (index, end) =>
    [1, 2, 3, 4].find(length => index + length <= end && decode(bytes.subarray(index, index + length)) !== null);

  function firstIllFormed(start, end) {
    let index = start;
    for (let length; index < end && (length = lengthOfCharacter(index, end)); index += length);
    return index;
  }

  /// The end of the last complete character in bytes that were cut.
  function endOfCharacter(start, end) {
    for (let count = 1; count < 4 && end - count >= start; count++) {
      const byte = bytes[end - count];
      if (byte >= 0xc0) return count < (byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4) ? end - count : end;
      if (byte < 0x80) break;
    }
    return end;
  }

  function fillField(row, index) {
    const { offset, length, depth, style, label, value, key, isLine } = entries[index];
    if (isHit(entries[index])) row.classList.add('hit');
    row.style.marginLeft = `min(${depth * 2}ch, 50%)`;
    row.classList.toggle('line', !!isLine);
    if (isLine) {
      const start = offset + Math.max(key, 0), end = Math.min(start + 400, offset + length, bytes.length);
      const isCut = end < offset + length;
      const rest = text(start, isCut ? endOfCharacter(start, end) : end) + (isCut ? '...' : '');
      const colon = key > 0 ? rest.match(/^\s*:/)?.[0].length ?? 0 : 0;
      if (key < 0) row.append(make('span', 'error', rest ? '▲ not valid JSON: ' : '▲ not valid JSON'));
      if (key > 0) row.append(make('span', 'key', cut(text(offset, offset + key), 400) + (colon ? ': ' : '')));
      row.append(make('span', `value ${style}`, rest.slice(colon).trim()));
      return;
    }
    if (label) row.append(make('span', 'label', label));
    const shown = value || (style === 'json' ? plural(length, 'byte') : style === 'plain' ? hexOf(offset, Math.min(length, 64)) + (length > 64 ? '...' : '') : '');
    row.append(make('span', `value ${style}`, cut(shown, 400)));
  }

  const hexOf = (offset, length) => Array.from(bytes.subarray(offset, offset + length), byte => byte.toString(16).padStart(2, '0')).join('');

  /// The last entry with the byte: lines follow the field that contains them.
  function entryAt(index) {
    for (let entry = entries.length - 1; entry >= 0; entry--) {
      if (entries[entry].offset <= index && index < entries[entry].offset + entries[entry].length) return entry;
    }
    return -1;
  }

  let styles = [];
  const faultAt = byte => { const fault = faults.find(([a, b]) => byte >= a && byte < b); return fault ? ` fault by-${fault[2]}` : ''; };
  function fillBytes(row, index) {
    const start = index * perRow, end = Math.min(bytes.length, start + perRow);
    const offset = make('span', 'offset', (selected.base + start).toString(16).padStart(4, '0'));
    offset.setAttribute('role', 'rowheader');
    row.append(offset);
    const ascii = [];
    for (let byte = start; byte < start + perRow; byte++) {
      const marks = byte < end ? `${byte >= hit[0] && byte < hit[1] ? ' hit' : ''}${byte === at ? ' at' : ''}${faultAt(byte)} ${styles[byte] ?? ''}` : '';
      const cell = make('span', `cell${marks}`, byte < end ? bytes[byte].toString(16).padStart(2, '0') : '');
      cell.setAttribute('role', 'gridcell');
      if (byte < end) {
        cell.dataset.byte = byte;
        cell.id = `byte-${byte}`;
        const letter = make('span', `ascii${marks}`, bytes[byte] >= 0x20 && bytes[byte] < 0x7f ? String.fromCharCode(bytes[byte]) : '.');
        letter.dataset.byte = byte;
        letter.setAttribute('aria-hidden', 'true');
        ascii.push(letter);
      }
      row.append(cell);
    }
    row.append(make('span', 'gap'), ...ascii);
  }

  const hexList = new List($('hex'), { fill: fillBytes, role: 'row' });
  const fieldList = new List($('fields'), { wraps: true, fill: fillField, choose: index => highlight(entries[index], 'fields') });

  function mark(start, end) {
    hit = [start, end];
    for (const cell of $('hex').querySelectorAll('[data-byte]')) {
      const byte = Number(cell.dataset.byte);
      cell.classList.toggle('hit', byte >= start && byte < end);
      cell.classList.toggle('at', byte === at);
    }
    for (const row of $('fields').querySelectorAll('.row')) row.classList.toggle('hit', isHit(entries[row.dataset.index]));
  }

  /// Highlights an entry in both panes. `origin`: the pane that must not scroll.
  function highlight(entry, origin) {
    if (!entry) return;
    if (origin !== 'fields') fieldList.show(entries.indexOf(entry));
    if (origin !== 'hex') hexList.show(Math.floor(entry.offset / perRow));
    mark(entry.offset, entry.offset + entry.length);
  }

  const rest = () => {
    const entry = entries[fieldList.current];
    mark(...(at >= 0 ? rangeAt(at) : entry ? [entry.offset, entry.offset + entry.length] : [0, 0]));
  };
  const rangeAt = byte => { const entry = entries[entryAt(byte)]; return entry ? [entry.offset, entry.offset + entry.length] : [byte, byte + 1]; };

  $('hex').addEventListener('mouseover', event => {
    const byte = event.target.closest('[data-byte]')?.dataset.byte;
    if (byte !== undefined) highlight(entries[entryAt(Number(byte))], 'hex');
  });
  $('fields').addEventListener('mouseover', event => {
    const row = event.target.closest('.row');
    if (row) highlight(entries[Number(row.dataset.index)], 'fields');
  });
  for (const id of ['hex', 'fields']) $(id).addEventListener('mouseleave', rest);

  function moveTo(byte) {
    at = Math.max(0, Math.min(bytes.length - 1, byte));
    hexList.show(Math.floor(at / perRow));
    const entry = entryAt(at);
    fieldList.current = entry;
    highlight(entries[entry], 'hex');
    const cell = $(`byte-${at}`), name = entries[entry]?.label || entries[entry]?.value || '';
    if (cell) cell.setAttribute('aria-label', `${cell.textContent}, ${name}`);
    $('hex').setAttribute('aria-activedescendant', `byte-${at}`);
  }
  $('hex').addEventListener('click', event => {
    const byte = event.target.closest('[data-byte]')?.dataset.byte;
    if (byte !== undefined) moveTo(Number(byte));
  });
  $('hex').addEventListener('keydown', event => {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -perRow, ArrowDown: perRow, Home: -Infinity, End: Infinity };
    if (!Object.hasOwn(steps, event.key) || !bytes.length) return;
    moveTo(at < 0 ? 0 : at + steps[event.key]);
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
  $('hex').addEventListener('focus', () => { if (at < 0 && bytes.length) moveTo(0); });
  $('fields').addEventListener('focus', () => { at = -1; if (fieldList.current < 0) fieldList.select(0); });

  function findingBox(finding, answer, record) {
    const box = make('div', 'one');
    box.tabIndex = 0;
    box.setAttribute('role', 'group');
    box.setAttribute('aria-label', `${finding.severity} ${finding.rule}`);
    const range = [finding.offset - record.base, finding.offset - record.base + Math.max(finding.length, 1)];
    const head = make('p');
    head.append(make('span', `word ${finding.severity}`, `${shapes[finding.severity]} ${finding.severity} ${finding.rule}`), ': ');
    put(head, finding.message);
    box.append(head);
    const add = (name, value) => { const line = make('p'); line.append(make('b', '', `${name}: `)); put(line, value); box.append(line); };
    if (finding.cause) add(`cause ${finding.cause.id}`, finding.cause.evidence);
    add('fix', finding.cause?.fix ?? finding.fix);
    if (answer) add('answer', answer);
    const show = () => { hexList.show(Math.floor(range[0] / perRow)); const entry = entryAt(range[0]); if (entry >= 0) fieldList.show(entry); mark(...range); };
    box.addEventListener('mouseenter', show);
    box.addEventListener('focus', show);
    box.addEventListener('mouseleave', rest);
    return box;
  }

  function outcome(record) {
    const box = $('detail-outcome');
    box.replaceChildren();
    box.className = record.fate ?? '';
    const { dialogue: about, outcomes } = connectionOf.get(pair(record)) ?? {};
    if (record.fate) put(box, record.fate + (outcomes?.[record.fate] ?? ''));
    if (about?.status === undefined) return;
    const link = (label, test) => {
      const other = records.find(entry => pair(entry) === pair(record) && test(entry));
      if (!other) return put(box, label);
      const button = make('button', '', label);
      button.type = 'button';
      button.addEventListener('click', () => go(other));
      box.append(button);
    };
    if (record.fate) {
      link(`answer: status ${about.status}, identifier ${about.identifier}`, entry => entry.lane === 'in' && entry.record.status === about.status && entry.record.identifier === about.identifier);
    } else if (record.lane === 'in' && about.record !== undefined) {
      link(`refers to #${about.record}`, entry => entry.lane === 'out' && entry.number === about.record);
    }
  }

  function go(record) {
    if (!shown.includes(record)) clear();
    recordList.select(shown.indexOf(record));
  }

  function showRecord(record) {
    if (record === selected) return;
    selected = record;
    const { record: data } = record, findings = data.findings ?? [];
    bytes = octets(record.hex);
    const all = entriesOf(record);
    entries = all.slice(0, mostRows);
    hit = [0, 0];
    at = -1;
    // A finding about all bytes needs no mark.
    faults = findings.filter(finding => finding.length < bytes.length).slice(0, 200)
      .map(finding => [finding.offset - record.base, finding.offset - record.base + finding.length, finding.severity]);
    styles = [];
    for (const entry of entries) {
      for (let byte = entry.offset; byte < Math.min(bytes.length, entry.offset + entry.length); byte++) styles[byte] = entry.style;
    }
    $('detail-title').replaceChildren();
    put($('detail-title'), `#${record.number} ${title(record)}${data.condition ? `, ${data.condition}` : ''}`);
    const origin = [
      data.missing === undefined ? `${plural(data.length ?? bytes.length, 'byte')} at 0x${record.base.toString(16)}` : `${plural(data.missing, 'byte')} missing`,
      data.file, `stream ${record.stream}`, data.from && `${data.from} > ${data.to}`,
      data.packets && `packet ${data.packets.slice(0, 4).join(', ')}${data.packets.length > 4 ? ', ...' : ''}`, data.time,
    ];
    $('detail-origin').replaceChildren();
    $('detail-origin').append(...origin.filter(part => part).map(part => make('span', '', part)));
    outcome(record);
    $('findings').replaceChildren(...findings.slice(0, 100).map((finding, index) => findingBox(finding, record.answers?.[index], record)));
    if (findings.length > 100) $('findings').append(make('p', 'one', `and ${plural(findings.length - 100, 'more finding')}`));
    $('findings').hidden = !findings.length;
    $('panes').hidden = !bytes.length;
    hexList.resize(Math.ceil(bytes.length / perRow));
    fieldList.resize(entries.length);
    const more = [
      record.left_out && `The search does not find the ${record.left_out} of this record.`,
      record.bytes && `The page contains the first ${grouped(bytes.length)} of ${plural(record.bytes, 'byte')}.`,
      all.length > mostRows && `${plural(all.length - mostRows, 'more field')} and lines are left out.`,
    ].filter(part => part).join(' ');
    $('detail-more').textContent = more;
    $('detail-more').hidden = !more;
  }

  // MARK: The page

  function step(by) {
    const start = recordList.current;
    for (let index = start + by; index >= 0 && index < shown.length; index += by) {
      if (shown[index].record.findings) return recordList.select(index);
    }
  }

  document.addEventListener('keydown', event => {
    if (event.key === 'Escape') { clear(); $('records').focus(); return; }
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') { $('search').focus(); $('search').select(); }
    else if (event.key === 'n') step(1);
    else if (event.key === 'p') step(-1);
    else if (event.key === 'j' || event.key === 'k') { $('records').focus(); recordList.select(recordList.current < 0 ? 0 : recordList.current + (event.key === 'j' ? 1 : -1)); }
    else return;
    event.preventDefault();
  });
  let timer = 0;
  $('search').addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(filter, 80); });
  $('search').addEventListener('keydown', event => {
    if (event.key === 'Enter' || event.key === 'ArrowDown') { clearTimeout(timer); filter(); $('records').focus(); recordList.select(0); event.preventDefault(); }
  });
  $('faulty').addEventListener('change', filter);
  for (const row of document.querySelectorAll('tr[data-filter]')) {
    const cell = row.querySelector('th'), button = make('button', '', cell.textContent);
    button.type = 'button';
    button.addEventListener('click', () => { search(row.dataset.filter); $('records').focus(); recordList.select(0); });
    cell.replaceChildren(button);
  }
  for (const element of document.querySelectorAll('.scroll')) {
    element.tabIndex = 0;
    element.setAttribute('role', 'region');
    element.setAttribute('aria-label', element.parentElement.querySelector('h2').textContent);
  }
  const themes = ['system', 'dark', 'light'];
  $('theme').addEventListener('click', () => {
    const theme = themes[(themes.indexOf(document.documentElement.dataset.theme ?? 'system') + 1) % 3];
    if (theme === 'system') delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = theme;
    $('theme').textContent = `Theme: ${theme}`;
  });
  window.addEventListener('resize', () => {
    if (perRow === width()) return;
    perRow = width();
    hexList.resize(Math.ceil(bytes.length / perRow));
  });

  document.documentElement.classList.add('live');
  $('live').classList.toggle('untimed', !records.some(entry => entry.at !== undefined));
  $('live').classList.toggle('single', !records.some(entry => entry.stream !== records[0].stream));
  $('live').classList.toggle('undirected', !records.some(entry => entry.fate));
  $('theme').hidden = false;
  $('plain').hidden = true;
  $('live').hidden = records.length === 0;
  $('connections-part').hidden = connections.length < 2 && !connections.some(one => one.from);
  const kinds = [connections.some(one => one.from) && 'connections', connections.some(one => !one.from) && 'inputs'].filter(kind => kind).join(' and ');
  $('connections-title').textContent = kinds.charAt(0).toUpperCase() + kinds.slice(1) + (periods.length > 1 ? ', on a time line with breaks between inputs that lie apart' : '');
  connectionList.resize(connections.length);
  filter();
  const first = report.severities.map(severity => shown.findIndex(entry => worst(entry)?.severity === severity)).find(index => index >= 0);
  if (shown.length) recordList.select(first ?? 0);
})();
