import { expect, test } from "vitest";
import { reportSwept } from "../../../../src/action/environments/sweep.ts";
import type {
  SweepResult,
  SweptEnvironment,
} from "../../../../src/commands/environments/sweep-environments.ts";
import type { LiveEnvironment } from "../../../../src/deploying/queries/read-environments.ts";
import type { Deployment } from "../../../../src/model/deployments/deployment.ts";
import type { PreviewEnvironment } from "../../../../src/model/deployments/preview-environment.ts";
import { sentSecrets } from "../../../../src/redaction/sent-secrets.ts";
import { numberPlaceholder } from "../../../support/environments/environment-shop.ts";
import { useFakeGitHub } from "../../../support/fake-github/use.ts";
import { asStep } from "../../../support/plan/step.ts";

const github = useFakeGitHub();
const owner = { repository: { path: "acme/shop" }, list: ".valuestream/deployments.yaml" };

function deployment(name: string): Deployment {
  return {
    ...{ name, config: "", params: [], environment: undefined, context: undefined },
    ...{ namespace: "shop", dependsOn: [] },
  };
}

function swept(name: string) {
  return {
    ...{ deployment: deployment(name), environment: environmentCalled(name) },
    isExpired: false,
  };
}

function refused(name: string): SweptEnvironment {
  const problem = { code: "lock-held", where: [], what: "Another run works", fix: "Wait" } as const;
  return { ...swept(name), type: "refused", problems: [problem] };
}

function environmentCalled(name: string): PreviewEnvironment {
  const [entry = "", number] = name.split("-pr-");
  return { ...owner, entry, number: Number(number), namespace: name, ttlMs: 72 * 3_600_000 };
}

function running(entry: string, number: number, status = "succeeded"): LiveEnvironment {
  const environment = { entry, number };
  const release = { revision: 2, status };
  const name = `${entry}-pr-${number}`;
  return { deployment: deployment(name), environment, release } as LiveEnvironment;
}

async function report(result: Pick<SweepResult, "outcomes" | "remaining">) {
  const url = `https://${numberPlaceholder}.example`;
  const entries = ["api", "web"].map(
    (name) => ({ ...deployment(name), preview: { url } }) as Deployment,
  );
  let thrown: unknown;
  await asStep(() =>
    reportSwept(
      result,
      { entries, owner },
      {
        ...{ summary: false, comment: "always", token: "t" },
        ...{ githubDeployments: false, environmentUrl: undefined },
      },
      {
        env: { GITHUB_API_URL: github().apiUrl },
        sent: sentSecrets(),
        signal: new AbortController().signal,
        repository: { owner: "acme", repo: "shop" },
        ...{ runUrl: undefined, commit: "4ead" },
      },
    ).catch((error: unknown) => {
      thrown = error;
    }),
  );
  return { thrown, comments: github().state.comments.map(({ issue, body }) => ({ issue, body })) };
}

test("the comment shows all environments of its pull request", async () => {
  const { comments } = await report({
    outcomes: [refused("api-pr-1"), refused("api-pr-2"), refused("db-pr-1")],
    remaining: [running("web", 1), running("web", 2, "failed"), running("web", 3)],
  });
  expect(comments.map(({ issue }) => issue)).toEqual([1, 2]);
  const [first, second] = comments.map(({ body }) => body);
  expect(first).toContain("`api-pr-1` ⚠️ not deleted");
  expect(first).toContain("`db-pr-1` ⚠️ not deleted");
  expect(first).toContain("`web-pr-1` ✅ ready: ");
  expect(first).toContain("(https://1.example/)");
  expect(first).not.toContain("-pr-2");
  expect(second).toContain("`web-pr-2` 🛑 failed\n  - release 2 hasn't succeeded");
});

test("the comment explains that an environment has expired", async () => {
  const expired: SweptEnvironment = { ...swept("api-pr-1"), type: "nothing left", isExpired: true };
  const { comments } = await report({ outcomes: [expired, refused("db-pr-1")], remaining: [] });
  expect(comments[0]?.body).toContain(
    "`api-pr-1` deleted\n  - its lifetime of 72h has ended; the next commit creates it again",
  );
});

test("an error that is a bug in qvs is thrown after the other pull requests are reported", async () => {
  const broken: SweptEnvironment = {
    ...swept("api-pr-1"),
    ...{ type: "broken", error: new Error("a bug") },
  };
  const { comments, thrown } = await report({
    outcomes: [broken, refused("api-pr-2")],
    remaining: [],
  });
  expect(comments.map(({ issue }) => issue)).toEqual([1, 2]);
  expect(thrown).toEqual(new Error("a bug"));
});
