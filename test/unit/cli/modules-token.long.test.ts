import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../../support/cue/native.ts";
import { environment, GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { startHttpsServer } from "../../support/servers/https-server.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

test("QVS_MODULES_TOKEN gives access to a private repository on QVS_MODULES_HOST, and a missing or wrong token is an error with a fix", async () => {
  const module = new GitFixture();
  const commit = module.commit({ "cue.mod/module.cue": 'module: "m.example/m"\n' });
  module.git("tag", "v1");
  const root = join(module.directory, "..");
  const { host, trusted } = await startHttpsServer({ root, password: "right" });
  const repo = `${host}/${module.directory.split("/").at(-1)}`;
  const { directory } = temporaryRepository({
    ".valuestream/qvs.yaml": `modules:
  - name: m.example/m
    remote: {repo: "${repo}", revision: v1}
designPatterns:
  - pattern: m.example/m/web
`,
  });
  const lock = async (token: Readonly<Record<string, string>>) => {
    const env = { ...environment, ...trusted, ...token, QVS_CACHE: temporaryDirectory() };
    const { code, stdout, stderr } = await runHere(directory, ["lock"], compiler, env);
    return `${code}\n${stdout}${stderr}`;
  };
  const refused = `1
error[module-access-denied]: "${repo}": access was denied
  --> .valuestream/qvs.yaml:2:11
  help: Check that the repository exists
  help: or give git credentials that can read it: a token (QVS_MODULES_TOKEN, or the Action's input modules-token), a credential helper, or an SSH key

Nothing was changed.
`;
  expect(await lock({})).toBe(refused);
  expect(await lock({ QVS_MODULES_TOKEN: "wrong", QVS_MODULES_HOST: host })).toBe(refused);
  expect(await lock({ QVS_MODULES_TOKEN: "right" }), "for github.com").toBe(refused);
  expect(await lock({ QVS_MODULES_TOKEN: "right", QVS_MODULES_HOST: host })).toBe(`0
Wrote .valuestream/qvs.lock
  + ${repo} v1: ${commit}
`);
  expect(await lock({ QVS_MODULES_TOKEN: "two\nlines", QVS_MODULES_HOST: host })).toBe(`1
error[invalid-input]: The token for modules contains characters that aren't allowed in a token
  help: Set only the token, without spaces and line breaks

Nothing was changed.
`);
});
