import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../../support/cue/native.ts";
import { environment, GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runHere } from "../../support/qvs/run-here.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

const web = (imports: string, replicas: string) => `package web

import ${imports}

DesignPattern: resources: app: web: {
	provider:   "kubernetes"
	apiVersion: "apps/v1"
	kind:       "Deployment"
	metadata: name: "web"
	spec: replicas: ${replicas}
}
`;

/** Creates two repositories: adapters that depend on a library, and two versions of the library. */
function modules(imports: string, replicas: string, deps: string) {
  const adapters = new GitFixture();
  const lib = new GitFixture();
  adapters.commit({
    "cue.mod/module.cue": `module: "acme.example/adapters@v0"\nlanguage: version: "v0.12.0"\n${deps}`,
    "web/web.cue": web(imports, replicas),
    "cue.mod/gen/own.example/sizes/sizes.cue": "package sizes\n\nsmall: 3\n",
  });
  adapters.git("tag", "v1");
  lib.commit({
    "cue.mod/module.cue": 'module: "acme.example/lib@v0"\n',
    "sizes/sizes.cue": 'package sizes\n\nimport own "own.example/sizes"\n\nsmall: 1 + own.small\n',
    "cue.mod/pkg/own.example/sizes/sizes.cue": "package sizes\n\nsmall: 4\n",
  });
  lib.git("tag", "v0.3.0");
  lib.commit({
    "cue.mod/module.cue": 'module: "acme.example/lib@v1"\n',
    "sizes/sizes.cue": "package sizes\n\nsmall: 11\n",
  });
  lib.git("tag", "v1.0.0");
  return { adapters, lib };
}

async function compileWith(
  { adapters, lib }: ReturnType<typeof modules>,
  libs: readonly string[],
): Promise<string> {
  const named = libs.map(
    (tag) => `  - name: acme.example/lib@${tag.slice(0, 2)}
    remote: {repo: git.acme.example/lib, revision: ${tag}}
`,
  );
  const config = `modules:
  - name: acme.example/adapters
    remote: {repo: git.acme.example/adapters, revision: v1}
${named.join("")}designPatterns:
  - pattern: acme.example/adapters/web
`;
  const { directory } = temporaryRepository({ ".valuestream/qvs.yaml": config });
  const { code, stdout, stderr } = await runHere(directory, ["compile", "--quiet"], compiler, {
    ...environment,
    QVS_CACHE: temporaryDirectory(),
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: `url.file://${adapters.directory}.insteadOf`,
    GIT_CONFIG_VALUE_0: "https://git.acme.example/adapters",
    GIT_CONFIG_KEY_1: `url.file://${lib.directory}.insteadOf`,
    GIT_CONFIG_VALUE_1: "https://git.acme.example/lib",
  });
  return `${code}\n${/replicas: \d+/.exec(stdout)?.[0] ?? stdout}${stderr}`;
}

const deps = 'deps: {"acme.example/lib@v0": {v: "v0.3.0"}}\n';

test.each([
  [
    "a dependency is another module of the config, and each one uses its own vendored packages",
    '(\n\tlib "acme.example/lib/sizes"\n\town "own.example/sizes"\n)',
    "lib.small + own.small",
    ["v0.3.0"],
    "0\nreplicas: 8",
  ],
  ["a major version", '"acme.example/lib/sizes@v1"', "sizes.small", ["v1.0.0"], "0\nreplicas: 11"],
  [
    "a major version at the end of the module path",
    '"acme.example/lib@v1/sizes"',
    "sizes.small",
    ["v1.0.0"],
    "0\nreplicas: 11",
  ],
  [
    "two major versions of one module",
    '(\n\t"acme.example/lib/sizes"\n\tnew "acme.example/lib/sizes@v1"\n)',
    "sizes.small + new.small",
    ["v0.3.0", "v1.0.0"],
    "0\nreplicas: 16",
  ],
  [
    "a dependency that no module provides",
    '"acme.example/lib/sizes"',
    "sizes.small",
    [],
    `1
error[module-not-declared]: Adapter "acme.example/adapters/web": import "acme.example/lib/sizes" isn't in any module
  --> acme.example/adapters@v1/web/web.cue:3:8
  --> .valuestream/qvs.yaml:5:14
  help: Add the dependency of acme.example/adapters to \`modules\` in .valuestream/qvs.yaml: {name: acme.example/lib@v0, remote: {repo: …, revision: v0.3.0}}
`,
  ],
  [
    "a dependency that exists only in another major version",
    '"acme.example/lib/sizes"',
    "sizes.small",
    ["v1.0.0"],
    `1
error[module-not-declared]: Adapter "acme.example/adapters/web": import "acme.example/lib/sizes" isn't in any module
  --> acme.example/adapters@v1/web/web.cue:3:8
  --> .valuestream/qvs.yaml:7:14
  help: Add the dependency of acme.example/adapters to \`modules\` in .valuestream/qvs.yaml: {name: acme.example/lib@v0, remote: {repo: …, revision: v0.3.0}}
`,
  ],
  [
    "an import that isn't a dependency either",
    '"other.example/sizes"',
    "sizes.small",
    [],
    `1
error[module-not-declared]: Adapter "acme.example/adapters/web": import "other.example/sizes" isn't in any module
  --> acme.example/adapters@v1/web/web.cue:3:8
  --> .valuestream/qvs.yaml:5:14
  help: Add the module that contains it to \`modules\` in .valuestream/qvs.yaml
  help: or vendor it below cue.mod of the module that imports it
`,
  ],
  [
    "several missing dependencies are reported together",
    '(\n\t"acme.example/lib/sizes"\n\tother "other.example/sizes"\n)',
    "sizes.small + other.small",
    [],
    `1
error[module-not-declared]: Adapter "acme.example/adapters/web": import "acme.example/lib/sizes" isn't in any module
  --> acme.example/adapters@v1/web/web.cue:4:2
  --> .valuestream/qvs.yaml:5:14
  help: Add the dependency of acme.example/adapters to \`modules\` in .valuestream/qvs.yaml: {name: acme.example/lib@v0, remote: {repo: …, revision: v0.3.0}}

error[module-not-declared]: Adapter "acme.example/adapters/web": import "other.example/sizes" isn't in any module
  --> acme.example/adapters@v1/web/web.cue:5:2
  --> .valuestream/qvs.yaml:5:14
  help: Add the module that contains it to \`modules\` in .valuestream/qvs.yaml
  help: or vendor it below cue.mod of the module that imports it

2 errors.
`,
  ],
] as const)("%s", async (_, imports, replicas, libs, expected) => {
  expect(await compileWith(modules(imports, replicas, deps), libs)).toBe(expected);
});

test("a path to a local module can contain .., but can't leave the repository", async () => {
  const outside = temporaryRepository({ "cue.mod/module.cue": "", "web/web.cue": "" });
  const config = (path: string) => `modules:
  - name: acme.example/adapters
    local: {path: ${path}}
designPatterns:
  - pattern: acme.example/adapters/web
`;
  const shop = temporaryRepository({
    "services/shop/.valuestream/qvs.yaml": config("../../../adapters"),
    "services/shop/.valuestream/qvs_out.yaml": config("../../../../adapters"),
    "services/shop/.valuestream/qvs_link.yaml": config("../../../linked"),
    "adapters/cue.mod/module.cue": 'module: "acme.example/adapters"\n',
    "adapters/web/web.cue": web('"strings"', 'len(strings.Repeat("x", 6))'),
  });
  symlinkSync(outside.directory, join(shop.directory, "linked"));
  const compile = async (name: string) => {
    const args = ["compile", "--quiet", "--config", `services/shop/.valuestream/${name}.yaml`];
    const { code, stdout, stderr } = await runHere(shop.directory, args, compiler);
    return `${code}\n${/replicas: \d+/.exec(stdout)?.[0] ?? stdout}${stderr}`;
  };
  expect(await compile("qvs")).toBe("0\nreplicas: 6");
  expect(await compile("qvs_out")).toBe(`1
error[path-outside-repository]: Module path "../../../../adapters" is outside this repository
  --> services/shop/.valuestream/qvs_out.yaml:3:19
  help: Set path to a directory of this repository, relative to this file
  help: or name a Git repository with remote
`);
  expect(await compile("qvs_link")).toBe(`1
error[path-outside-repository]: "linked" leads outside the repository
  --> services/shop/.valuestream/qvs_link.yaml:2:11
  help: Use only files of the repository, and no links that lead outside it
`);
});

test("two modules with the same name are rejected, because an import would be ambiguous", async () => {
  const file = 'module: "acme.example/adapters"\n';
  const { directory } = temporaryRepository({
    ".valuestream/qvs.yaml": `modules:
  - name: acme.example/adapters
    local: {path: ../one}
  - name: acme.example/copy
    local: {path: ../two}
designPatterns:
  - pattern: acme.example/adapters/web
`,
    "one/cue.mod/module.cue": file,
    "one/web/web.cue": web('"strings"', 'len(strings.Repeat("x", 1))'),
    "two/cue.mod/module.cue": file,
  });
  const { stderr } = await runHere(directory, ["compile"], compiler);
  expect(stderr).toBe(
    `error[duplicate-name]: Module name "acme.example/adapters@v0" is used twice
  --> two/cue.mod/module.cue:1:1
  --> one/cue.mod/module.cue:1:1
  --> .valuestream/qvs.yaml:7:14
  why: An import of this name is ambiguous
  help: Keep one of the modules in \`modules\` in .valuestream/qvs.yaml
  help: or rename one of them in its cue.mod/module.cue
`,
  );
});
