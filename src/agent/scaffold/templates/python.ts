import { fillNames } from './fill-names.ts';
import type { TemplateSet } from './template-set.ts';

const restResource = `"""«title»"""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

PATH = "/«kebab»"
MAX_BODY_BYTES = 1_000_000


class «pascal»Store:
    """Keeps the items in memory. Replace it by a database."""

    def __init__(self):
        self._items = {}
        self._ids = count(1)

    def list(self):
        return list(self._items.values())

    def create(self, fields):
        item = {**fields, "id": next(self._ids)}
        self._items[item["id"]] = item
        return item

    def read(self, item_id):
        return self._items.get(item_id)

    def update(self, item_id, fields):
        if item_id not in self._items:
            return None
        self._items[item_id] = {**fields, "id": item_id}
        return self._items[item_id]

    def delete(self, item_id):
        return self._items.pop(item_id, None) is not None


def handle(store, method, path, body):
    """Answers one request: (status, value)."""
    parts = path.strip("/").split("/")
    if "/" + parts[0] != PATH or len(parts) > 2:
        return 404, {"error": "not found"}
    if len(parts) == 1:
        if method == "GET":
            return 200, store.list()
        if method == "POST":
            return 201, store.create(body)
        return 405, {"error": "method not allowed"}
    if not parts[1].isdigit():
        return 404, {"error": "not found"}
    item_id = int(parts[1])
    if method == "GET":
        item = store.read(item_id)
    elif method == "PUT":
        item = store.update(item_id, body)
    elif method == "DELETE":
        item = {} if store.delete(item_id) else None
    else:
        return 405, {"error": "method not allowed"}
    return (404, {"error": "not found"}) if item is None else (200, item)


def make_server(port=8000, store=None):
    store = store or «pascal»Store()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self):
            length = min(int(self.headers.get("Content-Length") or 0), MAX_BODY_BYTES)
            try:
                body = json.loads(self.rfile.read(length) or b"{}")
                status, value = handle(store, self.command, self.path, body)
            except ValueError:
                status, value = 400, {"error": "the body is not JSON"}
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_DELETE = _answer

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    make_server().serve_forever()
`;

export const pythonTemplates: TemplateSet = {
  code: {
    function: ({ title, snake, parameters }) => `"""${title}"""


def ${snake}(${parameters.join(', ')}):
    """${title}

    Args:
${parameters.map((name) => `        ${name}: Describe it here.`).join('\n')}
    """
    raise NotImplementedError("${snake} is not written yet")
`,
    class: ({ title, pascal }) => `"""${title}"""


class ${pascal}:
    """${title}"""

    def __init__(self):
        self._items = []

    def add(self, item):
        """Adds an item."""
        self._items.append(item)

    def __len__(self):
        return len(self._items)

    def process(self):
        """The work this class is for."""
        raise NotImplementedError("${pascal}.process is not written yet")
`,
    cli: ({ title, kebab, snake }) => `"""${title}"""

import argparse
import sys


def ${snake}(source):
    """Does the work for one input, given as text."""
    raise NotImplementedError("${snake} is not written yet")


def main(argv=None):
    parser = argparse.ArgumentParser(prog="${kebab}", description="${title}")
    parser.add_argument("file", nargs="?", help="input file; standard input without it")
    arguments = parser.parse_args(argv)
    if arguments.file is None:
        source = sys.stdin.read()
    else:
        with open(arguments.file, encoding="utf-8") as file:
            source = file.read()
    print(${snake}(source))
    return 0


if __name__ == "__main__":
    sys.exit(main())
`,
    rest: (names) => fillNames(restResource, names),
  },
  testFramework: 'pytest',
  tests: (functions) => `import pytest

import solution

${functions
  .map(
    (name) => `
def test_${name}_does_what_it_promises():
    pytest.skip("say what solution.${name} returns for a typical input")


def test_${name}_refuses_bad_input():
    pytest.skip("say what solution.${name} does with bad input")
`,
  )
  .join('\n')}`,
};
