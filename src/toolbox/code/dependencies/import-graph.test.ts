import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  edgesOf,
  externalsOf,
  TemporaryProject,
} from '../../../../testkit/toolbox/code/dependencies/temporary-project.ts';

let project: TemporaryProject;

beforeEach(async () => {
  project = await TemporaryProject.create();
});

afterEach(async () => {
  await project.remove();
});

describe('the import graph', () => {
  it('of JavaScript and TypeScript follows imports, re-exports, require and literal import()', async () => {
    await project.put({
      'src/app.ts': [
        "import { a } from './a.js';",
        "import type { T } from './types';",
        "export * from './lib';",
        "const late = await import('./late.mjs');",
        "import old = require('./old.cjs');",
        "import data from './data.json' with { type: 'json' };",
        "import fs from 'fs';",
        "import { z } from 'zod/v4';",
        "import x from '@scope/pkg/deep';",
        "import gone from './gone.ts';",
        'import(`./${name}.js`);',
        "import '@app/mapped';",
        "import 'tool';",
        "import '#private';",
        "import above from '../../outside.ts';",
      ].join('\n'),
      'src/a.ts': '',
      'src/types.d.ts': '',
      'src/types.ts': '',
      'src/lib/index.tsx': "import './style.css';",
      'src/lib/style.css': '',
      'src/late.mts': '',
      'src/old.cjs': "// require('./commented')\nconst q = require('./lib'), r = require(name);",
      'src/data.json': '{}',
      'src/mapped/mapped.ts': '',
      'tsconfig.json':
        '{ // paths\n "compilerOptions": { "paths": { "@app/*": ["./src/mapped/*"] }, } }',
      'packages/tool/package.json': '{ "name": "tool", "main": "./main.js" }',
      'packages/tool/main.js': '',
    });
    const report = await project.analyze();
    expect(edgesOf(report)).toEqual([
      'src/app.ts:1 > src/a.ts',
      'src/app.ts:12 > src/mapped/mapped.ts',
      'src/app.ts:13 > packages/tool/main.js',
      'src/app.ts:2 type src/types.ts',
      'src/app.ts:3 > src/lib/index.tsx',
      'src/app.ts:4 > src/late.mts',
      'src/app.ts:5 > src/old.cjs',
      'src/lib/index.tsx:1 > src/lib/style.css',
      'src/old.cjs:2 > src/lib/index.tsx',
    ]);
    expect(externalsOf(report)).toEqual([
      '../outside.ts',
      '@scope/pkg',
      'node:fs (standard)',
      'zod',
    ]);
    expect(report.unresolved).toEqual([
      { file: 'src/app.ts', specifier: './gone.ts', line: 10 },
      { file: 'src/app.ts', specifier: '#private', line: 14 },
    ]);
  });

  it('of Python follows packages, relative imports and names that are modules', async () => {
    await project.put({
      'app/__init__.py': 'from .models import User\n',
      'app/models.py':
        'import os, requests.sessions as s\nfrom app import views\nfrom . import helpers as h\n',
      'app/views.py':
        'from .models import (\n  User,\n)\nfrom ..nowhere import x\nfrom .sub.deep import y\n',
      'app/helpers.py':
        'def f():\n    import app.sub.deep\n    from typing import TYPE_CHECKING\n    if TYPE_CHECKING:\n        from app.models import User\n',
      'app/sub/deep.py': 'import app.missing\n',
      'scripts/run.py': 'import tool\nimport app\nfrom yaml import *\n',
      'scripts/tool.py': '',
      'src/lib/__init__.py': '',
      'tests/test_lib.py': 'import lib\nimport broken.(\n',
    });
    const report = await project.analyze();
    expect(edgesOf(report)).toEqual([
      'app/__init__.py:1 > app/models.py',
      'app/helpers.py:2 > app/sub/deep.py',
      'app/helpers.py:5 type app/models.py',
      'app/models.py:2 > app/views.py',
      'app/models.py:3 > app/helpers.py',
      'app/views.py:1 > app/models.py',
      'app/views.py:5 > app/sub/deep.py',
      'scripts/run.py:1 > scripts/tool.py',
      'scripts/run.py:2 > app/__init__.py',
      'tests/test_lib.py:1 > src/lib/__init__.py',
    ]);
    expect(externalsOf(report)).toEqual(
      expect.arrayContaining(['os (standard)', 'requests', 'yaml']),
    );
    expect(report.unresolved.map(({ specifier }) => specifier)).toEqual([
      'app.missing',
      '..nowhere',
    ]);
  });

  it('of Java follows imports, wildcards and types of the same package by what is used', async () => {
    await project.put({
      'src/org/a/A.java':
        'package org.a;\nimport org.b.*;\nimport static org.b.Util.help;\nimport java.util.List;\nimport com.google.common.base.Joiner;\nclass A extends Base { B b; List<A> l; }',
      'src/org/a/Base.java': 'package org.a;\nclass Base { void f() { Helper.run(); } }',
      'src/org/a/Helper.java': 'package org.a;\nclass Helper {}',
      'src/org/a/Unused.java': 'package org.a;\nclass Unused {}',
      'src/org/b/B.java': 'package org.b;\npublic class B {}',
      'src/org/b/C.java': 'package org.b;\npublic class C {}',
      'src/org/b/Util.java': 'package org.b;\nimport org.b.B.Inner;\npublic class Util {}',
    });
    const report = await project.analyze();
    const edges = edgesOf(report).map((edge) => edge.replaceAll('src/org/', ''));
    expect(edges).toEqual([
      'a/A.java:2 > b/B.java',
      'a/A.java:3 > b/Util.java',
      'a/A.java:6 > a/Base.java',
      'a/Base.java:2 > a/Helper.java',
      'b/Util.java:2 > b/B.java',
    ]);
    expect(externalsOf(report)).toEqual(['com.google.common.base', 'java.util (standard)']);
  });

  it('of Go joins packages through the module path', async () => {
    await project.put({
      'go.mod': 'module example.com/app\n',
      'main.go':
        'package main\nimport (\n\t"fmt"\n\tu "example.com/app/util"\n\t"github.com/x/y/z"\n\t"example.com/app/gone"\n)\n',
      'util/a.go': 'package util\nimport _ "example.com/app/util/deep"\n',
      'util/a_test.go': 'package util_test\nimport "example.com/app/util"\n',
      'util/deep/d.go': 'package deep\nimport `net/http`\n',
    });
    const report = await project.analyze();
    expect(edgesOf(report)).toEqual(['.:4 > util', 'util:2 > util/deep']);
    expect(report.nodes.find(({ id }) => id === 'util')?.files).toBe(2);
    expect(externalsOf(report)).toEqual([
      'fmt (standard)',
      'github.com/x/y',
      'net/http (standard)',
    ]);
    expect(report.unresolved).toMatchObject([{ specifier: 'example.com/app/gone' }]);
    const below = await project.analyze({ path: 'util' });
    expect(edgesOf(below)).toEqual(['.:2 > deep']);
  });

  it('of Rust follows modules, use trees and paths, and knows crates of the workspace', async () => {
    await project.put({
      'Cargo.toml': '[workspace]\nmembers = ["app", "my-lib"]\n',
      'app/Cargo.toml': '[package]\nname = "app"\n',
      'app/src/main.rs':
        'mod net;\nmod util;\nuse my_lib::thing::Thing;\nuse std::fmt;\nextern crate serde;\nfn main() { crate::util::run(); }\n',
      'app/src/net/mod.rs': 'pub mod tcp;\nuse crate::{util::{self, run as r}, net::tcp::*};\n',
      'app/src/net/tcp.rs':
        'use super::super::util;\nuse super::Kind;\nmod gone;\n#[cfg(test)]\nmod tests { use super::*; use self::inner::X; }\n',
      'app/src/util.rs':
        'use tokio::net::{TcpStream, UdpSocket};\nfn f() { let x: self::Local; }\n',
      'my-lib/Cargo.toml': '[package]\nname = "my-lib"\n',
      'my-lib/src/lib.rs': 'pub mod thing;\n',
      'my-lib/src/thing.rs': '',
      'my-lib/tests/it.rs': 'use my_lib::thing;\n',
    });
    const report = await project.analyze();
    expect(edgesOf(report)).toEqual([
      'app/src/main.rs:1 declaration app/src/net/mod.rs',
      'app/src/main.rs:2 > app/src/util.rs',
      'app/src/main.rs:3 > my-lib/src/thing.rs',
      'app/src/net/mod.rs:1 > app/src/net/tcp.rs',
      'app/src/net/mod.rs:2 > app/src/util.rs',
      'app/src/net/tcp.rs:1 > app/src/util.rs',
      'app/src/net/tcp.rs:2 > app/src/net/mod.rs',
      'my-lib/src/lib.rs:1 declaration my-lib/src/thing.rs',
      'my-lib/tests/it.rs:1 > my-lib/src/thing.rs',
    ]);
    expect(externalsOf(report)).toEqual(['serde', 'std (standard)', 'tokio']);
    expect(report.unresolved).toMatchObject([{ specifier: 'self::gone', line: 3 }]);
  });

  it('of pages and style sheets follows scripts, links and @import', async () => {
    await project.put({
      'index.html':
        '<!-- <script src="no.js"></script> -->\n<link rel="stylesheet" href="css/main.css?v=1">\n<link rel=icon href=i.png>\n<script\n  src=\'/app.js\'></script>\n<script src="https://cdn.example.com/x.js"></script><script>inline()</script>',
      'app.js': '',
      'css/main.css':
        '@import "reset.css";\n@import url(../theme/dark.css) screen;\n@import url("//fonts.example.com/f");\n@import "gone.css";',
      'css/reset.css': '',
      'theme/dark.css': '@import url("../css/logo.svg");',
      'css/logo.svg': '',
    });
    const report = await project.analyze();
    expect(edgesOf(report)).toEqual([
      'css/main.css:1 > css/reset.css',
      'css/main.css:2 > theme/dark.css',
      'index.html:2 > css/main.css',
      'index.html:4 > app.js',
    ]);
    expect(externalsOf(report)).toEqual(['cdn.example.com', 'fonts.example.com']);
    expect(report.unresolved).toMatchObject([{ specifier: './gone.css' }]);
  });
});
