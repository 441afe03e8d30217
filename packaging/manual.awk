# Turns the help text of a subcommand into its manual page, so that both always agree:
#
#   apnscope encode --help-hidden | awk -v name=apnscope-encode -v chapter=1 -v version=0.1.0 -f packaging/manual.awk > apnscope-encode.1
#
# Help has sections in capitals. Rows of options begin after two spaces, and their text is in column 27.

function escaped(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  return text ~ /^[.']/ ? "\\&" text : text
}

function words(text) { sub(/^ +/, "", text); sub(/ +$/, "", text); return text }

# A paragraph or a row may go over several lines of help.
function add(text) { part[section] = part[section] text }

/^[A-Z][A-Z ]*:( |$)/ {
  section = substr($0, 1, index($0, ":") - 1)
  order[++sections] = section
  text = words(substr($0, index($0, ":") + 1))
  part[section] = text
  blank = 0
  next
}
section == "" { next }
/^ *$/ { blank = 1; next }
section == "OVERVIEW" {
  # A line break within a paragraph is one of the 80 columns.
  add(part[section] == "" ? words($0) : blank ? "\n" words($0) : " " words($0))
  blank = 0
  next
}
section == "EXAMPLES" || section == "USAGE" { add((part[section] == "" ? "" : "\n") words($0)); blank = 0; next }
/^  See 'apnscope help/ { next }
{
  # A row; `\t` divides what is written from what it means.
  isRow = $0 ~ /^  [^ ]/
  head = isRow ? words(substr($0, 1, 26)) : ""
  if (isRow && substr($0, 25, 2) != "  ") { add("\n" words($0) "\t"); next }
  if (isRow) add("\n" head "\t" words(substr($0, 27)))
  else add((part[section] ~ /\t$/ ? "" : " ") words($0))
  blank = 0
}

function rows(text,    row, count, i, cells) {
  count = split(text, row, "\n")
  for (i = 1; i <= count; i++) {
    if (row[i] == "") continue
    split(row[i], cells, "\t")
    print ".TP"
    print ".B " escaped(cells[1])
    print escaped(cells[2])
  }
}

END {
  count = split(part["OVERVIEW"], paragraph, "\n")
  print ".TH " toupper(name) " " chapter " \"\" \"apnscope " version "\" \"" (chapter == 8 ? "System Administration" : "User Commands") "\""
  print ".SH NAME"
  summary = paragraph[1]
  sub(/\.$/, "", summary)
  print name " \\- " escaped(tolower(substr(summary, 1, 1)) substr(summary, 2))
  print ".SH SYNOPSIS"
  print ".B " escaped(part["USAGE"])
  if (count > 1) print ".SH DESCRIPTION"
  for (i = 2; i <= count; i++) {
    if (paragraph[i] ~ /^Exit status: /) { status = substr(paragraph[i], 14); continue }
    if (i > 2) print ".PP"
    print escaped(paragraph[i])
  }
  print ".SH OPTIONS"
  for (i = 1; i <= sections; i++) {
    if (order[i] ~ /^(OVERVIEW|USAGE|EXAMPLES|SUBCOMMANDS)$/) continue
    print ".SS " (order[i] == "OPTIONS" ? "General" : substr(order[i], 1, 1) tolower(substr(order[i], 2)))
    rows(part[order[i]])
  }
  if (part["SUBCOMMANDS"] != "") { print ".SH SUBCOMMANDS"; rows(part["SUBCOMMANDS"]) }
  print ".SH EXIT STATUS"
  count = split(status, meaning, "; ")
  for (i = 1; i <= count; i++) {
    sub(/\.$/, "", meaning[i])
    print ".TP"
    print ".B " substr(meaning[i], 1, 1)
    print escaped(substr(meaning[i], 3))
  }
  print ".SH EXAMPLES"
  print ".nf"
  count = split(part["EXAMPLES"], example, "\n")
  for (i = 1; i <= count; i++) print escaped(example[i])
  print ".fi"
  print ".SH SEE ALSO"
  others = name == "apnscope" ? "" : "apnscope"
  count = split(part["SUBCOMMANDS"], row, "\n")
  for (i = 1; i <= count; i++) {
    if (row[i] == "") continue
    split(row[i], cells, /[ \t]/)
    others = others (others == "" ? "" : " ") "apnscope-" cells[1]
  }
  count = split(others, other, " ")
  for (i = 1; i <= count; i++) print ".BR " escaped(other[i]) " (1)" (i < count ? "," : "")
}
