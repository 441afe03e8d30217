"""Compares docs/frames.schema.json with apnscope on files of frame types, and on hundreds of changed copies of the first.

A copy has one member removed, added or replaced. The schema must not refuse what apnscope reads. What only apnscope
refuses must be something that a schema cannot know: two names that collide, or a field that lacks what its role needs.
"""

import copy
import json
import os
import subprocess
import sys
import tempfile

import jsonschema

HERE = os.path.dirname(os.path.abspath(__file__))
COLLISION = ("two ", "another frame type", "records use themselves", "every record has", "every item has",
             "does not have the content of its role", "no frame type", "control character", "records of another type",
             "must be the least and the most")


def changed(value, path=()):
    """Yields the paths of all values, with their changes."""
    if isinstance(value, dict):
        yield path, "add"
        for name, member in value.items():
            yield path + (name,), "remove"
            yield from changed(member, path + (name,))
    elif isinstance(value, list):
        for index, element in enumerate(value):
            yield from changed(element, path + (index,))
    for other in ("x", "X!", "octets", "integer", "items", -1, 3, 300, True, [], {}, [1, 2]):
        yield path, other


def apply(document, path, change):
    document = copy.deepcopy(document)
    if not path:
        if change == "add":
            document["unknown"] = 1
        return document if change == "add" else change
    holder = document
    for step in path[:-1]:
        holder = holder[step]
    if change == "add":
        holder[path[-1]]["unknown"] = 1
    elif change == "remove":
        del holder[path[-1]]
    else:
        holder[path[-1]] = change
    return document


def main():
    with open(os.path.join(HERE, "../../docs/frames.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    read = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "frames.json")
        for name in sys.argv[1:]:
            with open(name, encoding="utf-8") as file:
                document = json.load(file)
            for error in validator.iter_errors(document):
                sys.exit(f"{name}: the schema refuses it: {error.message}")
            if name != sys.argv[1]:
                continue
            for place, change in changed(document):
                copied = apply(document, place, change)
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(copied, file)
                run = subprocess.run(["apnscope", "--frames", path, "-q", "--hex", "08"], capture_output=True, text=True)
                error = run.stderr if run.returncode == 2 else ""
                allows = validator.is_valid(copied)
                read, refused = read + (not error), refused + bool(error)
                if not error and not allows:
                    sys.exit(f"{place} {change!r}: only the schema refuses it: {next(validator.iter_errors(copied)).message}")
                if error and allows and not any(text in error for text in COLLISION):
                    sys.exit(f"{place} {change!r}: only apnscope refuses it: {error.strip()}")
    print(f"{read} read, {refused} refused")


main()
