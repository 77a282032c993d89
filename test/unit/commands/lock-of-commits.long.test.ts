import { expect, test } from "vitest";
import { previewPullRequest } from "../../../src/action/pull-requests/preview-pull-request.ts";
import { lock } from "../../../src/commands/lock.ts";
import { defaultRequest } from "../../../src/model/deployments/deploy-request.ts";
import type { Compilation } from "../../../src/model/sources/compilation.ts";
import { describeProblem } from "../../support/describe-problem.ts";
import { GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { cautious } from "../../support/policy.ts";
import { useWorlds } from "../../support/shop/shop-world.ts";

const worldAt = useWorlds();

const webWith = (replicas: number) => ({
  "web/web.cue": `package web

DesignPattern: resources: app: web: {
	provider:   "kubernetes"
	apiVersion: "apps/v1"
	kind:       "Deployment"
	metadata: name: "web"
	spec: replicas: ${replicas}
}
`,
});

const config = (revision: string) => `\
modules:
  - name: acme.example/adapters
    remote: {repo: git.acme.example/adapters, revision: ${revision}}
designPatterns:
  - pattern: acme.example/adapters/web
`;

/**
 * Adapters at v1 with one replica, an application with a lockfile for v1, and a branch for a pull
 * request.
 */
class Place {
  readonly adapters = new GitFixture();
  readonly app = new GitFixture();
  readonly base: string;

  constructor(revision: string) {
    const moduleFile = { "cue.mod/module.cue": 'module: "acme.example/adapters"\n' };
    this.adapters.commit({ ...moduleFile, ...webWith(1) });
    this.adapters.git("tag", "v1");
    this.app.write("shop/.valuestream/qvs.yaml", config(revision));
    this.base = this.app.commit();
  }

  /** Changes the adapter to two replicas, and moves v1 there. */
  move(): void {
    this.adapters.commit(webWith(2));
    this.adapters.git("tag", "--force", "v1");
  }

  /** Runs `qvs lock`, and commits the lockfile. */
  async lockAndCommit(): Promise<string> {
    const { files } = await lock(await this.world(), undefined);
    for (const { file, text } of files) this.app.write(file, text);
    return this.app.commit();
  }

  /** Opens a world without a cache. */
  world() {
    return worldAt(this.app.directory, undefined, {
      QVS_CACHE: temporaryDirectory(),
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `url.file://${this.adapters.directory}.insteadOf`,
      GIT_CONFIG_VALUE_0: "https://git.acme.example/adapters",
    });
  }

  /**
   * Returns the preview of a pull request from HEAD to `base`: replicas before and after, or
   * problems; nothing if unchanged.
   */
  async preview(base: string): Promise<string> {
    const { deployments } = await previewPullRequest(
      await this.world(),
      {
        base,
        headSha: this.app.git("rev-parse", "HEAD"),
        mergeSha: undefined,
        inline: [],
        request: { ...defaultRequest, policy: cautious },
        withoutCluster: { because: "no cluster" },
        choose: (deployments) => deployments,
        adjusted: (deployment) => deployment,
        runUrl: undefined,
      } as Parameters<typeof previewPullRequest>[1],
      (report) => report,
    );
    return deployments
      .map((report) =>
        report.problems.length > 0
          ? report.problems.map(describeProblem).join("\n")
          : `${replicas(report.base)} → ${replicas(report.head)}`,
      )
      .join("\n");
  }
}

function replicas(compilation: Compilation | undefined): string {
  return /"replicas":(\d+)/.exec(JSON.stringify(compilation?.resources ?? []))?.[1] ?? "nothing";
}

test("a pull request that locks a moved tag compares the locked commits of both sides", async () => {
  const place = new Place("v1");
  const base = await place.lockAndCommit();
  place.move();
  await place.lockAndCommit();
  expect(await place.preview(base)).toBe("1 → 2");
});

test("a pull request that locks a moved branch compares the locked commits of both sides", async () => {
  const place = new Place("main");
  const base = await place.lockAndCommit();
  place.move();
  await place.lockAndCommit();
  expect(await place.preview(base)).toBe("1 → 2");
});

test("a pull request that doesn't lock a moved tag shows a notice", async () => {
  const place = new Place("v1");
  const base = await place.lockAndCommit();
  place.move();
  place.app.commit({ "README.md": "changed" });
  expect(await place.preview(base)).toBe("");
  const changed = `${config("v1")}    params: {}\n`;
  place.app.commit({ "shop/.valuestream/qvs.yaml": changed });
  expect(await place.preview(base)).toMatch(
    /^shop\/\.valuestream\/qvs\.yaml:2:11: Tag "v1" of module "acme\.example\/adapters" was moved/,
  );
});

test("the first lockfile is a change even without changed manifests, and an unrelated one isn't", async () => {
  const place = new Place("v1");
  const locked = await place.lockAndCommit();
  expect(await place.preview(place.base)).toBe("1 → 1");
  place.app.commit({
    "other/.valuestream/qvs.lock": "version: 1\nmodules: []\n",
    "README.md": "x",
  });
  expect(await place.preview(locked)).toBe("");
});

test("a removed lockfile is a change", async () => {
  const place = new Place("v1");
  const locked = await place.lockAndCommit();
  place.app.git("rm", "--quiet", "shop/.valuestream/qvs.lock");
  place.app.commit();
  expect(await place.preview(locked)).toBe("1 → 1");
});
