import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

/** The reusable workflows against action.yml: whatever can be said to the action can be said through them, but for what is named here. */
const root = join(import.meta.dirname, "../..");

interface Declared {
  readonly description?: string;
  readonly type?: string;
  readonly required?: boolean;
  readonly default?: unknown;
}
type Named<T> = Readonly<Record<string, T>>;

interface Job {
  readonly concurrency: Named<unknown>;
  readonly outputs: Named<string>;
  readonly needs?: string | readonly string[];
  readonly if?: string;
  readonly with?: Named<string>;
  readonly secrets?: Named<string>;
  readonly permissions?: Named<string>;
  readonly environment?: unknown;
  readonly "runs-on"?: string;
  readonly "timeout-minutes"?: number | string;
  readonly steps: readonly {
    readonly id?: string;
    readonly if?: string;
    readonly run?: string;
    readonly uses?: string;
    readonly env?: Named<string>;
    readonly with: Named<string>;
  }[];
}

interface Workflow {
  readonly on: {
    readonly workflow_call: {
      readonly inputs: Named<Declared>;
      readonly secrets?: Named<Declared>;
      readonly outputs: Named<{ readonly description: string; readonly value: string }>;
    };
  };
  readonly jobs: Named<Job>;
}

const action = read<{ inputs: Named<Declared>; outputs: Named<Declared> }>("action.yml");
const secrets = ["kubeconfig", "modules-token"];
/** Of the workflows themselves. */
const own = ["environment", "environment-suffix", "runs-on", "timeout-minutes", "wait-at"];

const itsOwn = "the job's own token has the rights of the job, which are told in the workflow";
const forPreviews = "it is for previews";
const fixed = "the workflow is there for one of them";
const isRecorded = "what they made is in the release that is applied again";
const forReleases = "it is for releases, of which a preview makes none";
const ofOneJob = "it is for jobs of one workflow that share what one of them has found";
const oneByOne = "a preview applies nothing";
const forReports = "it is for the last job of deploy.yml";
const forJobs = "it is a file of the runner, which the workflow uploads for its last job";
const forDrift = "it is for drift.yml";
const forLists = "it is for the jobs of deploy.yml";

/** What is left out on purpose, and why. */
const workflows = [
  {
    name: "plan",
    notTold: {
      release: "a preview makes none",
      "plan-path": "it is a file of the runner, which the workflow uploads",
      "result-path": "a preview makes none",
      environments: forLists,
      approvals: forLists,
      "gave-way": "it is for the levels of deploy.yml",
      matrix: forLists,
      "preview-html": "it is a file of the runner, which the workflow uploads",
      drifted: forDrift,
    },
    fixedInputs: { "preview-artifact": "${{ steps.page.outputs.name }}" },
    leftOut: {
      reconcile: forDrift,
      issue: forDrift,
      mode: fixed,
      results: forReports,
      expected: forReports,
      token: itsOwn,
      "github-deployments": forReleases,
      "environment-url": forReleases,
      plans: "it is for the mode comment",
      "preview-artifact": "the workflow uploads it under a name of its own",
      branch: "previews are of pull requests, whatever branch they are for",
      revision: "it is for rollbacks",
      "keep-releases": "old records go after a deployment, which no preview shows",
      "expect-digest": "a plan is what gets approved",
      approvals: ofOneJob,
      "allow-outside-namespace": "it is for rollbacks",
      "allow-irreversible": "it is for rollbacks",
      "allow-failed": "it is for rollbacks",
      "override-freeze": "a preview only tells of a freeze",
      "on-failure": "nothing fails before it is deployed",
      "allow-older": "a preview only notes that the commit is older",
      concurrency: oneByOne,
      "no-progress-timeout": oneByOne,
    },
  },
  {
    name: "deploy",
    notTold: {
      "comment-url": "a push may have merged several pull requests",
      "result-path": forJobs,
      approvals: forLists,
      "gave-way": "it is for the levels of deploy.yml",
      "preview-html": forPreviews,
      "plan-path": forPreviews,
      drifted: forDrift,
    },
    fixedInputs: {},
    leftOut: {
      reconcile: forDrift,
      issue: forDrift,
      mode: fixed,
      results: forReports,
      expected: forReports,
      token: itsOwn,
      check: forPreviews,
      "fail-on": forPreviews,
      "preview-artifact": forPreviews,
      approvals: ofOneJob,
      plans: "it is for the mode comment",
      revision: "it is for rollbacks",
      "allow-outside-namespace": "it is for rollbacks",
      "allow-irreversible": "it is for rollbacks",
      "allow-failed": "it is for rollbacks",
    },
  },
  {
    name: "rollback",
    notTold: {
      "comment-url": "no pull request is told of a rollback",
      "result-path": "no other job reports it",
      deployments: "it is of the one that was named",
      environments: forLists,
      approvals: forLists,
      "gave-way": "it is for the levels of deploy.yml",
      matrix: forLists,
      "preview-html": forPreviews,
      "plan-path": forPreviews,
      drifted: forDrift,
    },
    fixedInputs: {},
    leftOut: {
      reconcile: forDrift,
      issue: forDrift,
      mode: fixed,
      results: forReports,
      expected: forReports,
      token: itsOwn,
      check: forPreviews,
      "fail-on": forPreviews,
      "preview-artifact": forPreviews,
      "approved-plan": "no pull request brings a release back",
      approvals: ofOneJob,
      plans: "it is for the mode comment",
      params: isRecorded,
      param: isRecorded,
      "allow-older": "a rollback goes to a release, not to a commit",
      "on-failure": "it is for deployments",
      "modules-token": "nothing is compiled",
      "modules-host": "nothing is compiled",
      comment: "no pull request is told of a rollback",
      "comment-key": "no pull request is told of a rollback",
    },
  },
  {
    name: "drift",
    notTold: {
      ...Object.fromEntries(
        [
          ...["changed", "to-create", "to-update", "to-replace", "to-delete", "has-deletions"],
          ...["plan-digest", "release", "plan-path", "preview-html", "result-path", "comment-url"],
          ...["deployments", "environments", "matrix", "approvals", "gave-way"],
        ].map((output) => [output, "it is of previews, deployments and rollbacks"]),
      ),
    },
    fixedInputs: {},
    leftOut: {
      mode: fixed,
      results: forReports,
      expected: forReports,
      token: itsOwn,
      check: forPreviews,
      "github-deployments": "a correction makes no release",
      "environment-url": "it is for github-deployments",
      "fail-on": forPreviews,
      "preview-artifact": forPreviews,
      "approved-plan": "what differs was never approved by anybody",
      "expect-digest": "what differs is not known before",
      approvals: ofOneJob,
      plans: "it is for the mode comment",
      params: isRecorded,
      param: isRecorded,
      revision: "it is always the running release",
      "allow-older": "a correction is of a release, not of a commit",
      "allow-failed": "only what has succeeded is compared",
      "on-failure": "there is no release to go back to but the one that is corrected",
      "modules-token": "nothing is compiled",
      "modules-host": "nothing is compiled",
      comment: "no pull request is told of drift",
      conflicts: "a correction takes back what others have taken",
      takeover: "a correction takes back what others have taken",
      "keep-releases": "a correction makes no release",
      "keep-revisions": "old revisions go with a deployment",
      adopt: "a correction stays with what is recorded",
    },
  },
  {
    name: "comment",
    notTold: {
      ...Object.fromEntries(
        [
          ...["changed", "to-create", "to-update", "to-replace", "to-delete", "has-deletions"],
          ...["plan-digest", "release", "plan-path", "preview-html", "result-path"],
          ...["deployments", "environments", "matrix", "approvals", "gave-way", "drifted"],
        ].map((output) => [output, "what others may have written is no ground for a decision"]),
      ),
    },
    fixedInputs: {},
    leftOut: {
      ...Object.fromEntries(
        Object.keys(action.inputs)
          .filter((input) => input !== "comment" && input !== "summary")
          .map((input) => [input, "it reads what was planned, and plans nothing"]),
      ),
      token: itsOwn,
      mode: fixed,
    },
  },
].map(({ name, notTold, fixedInputs, leftOut }) => {
  const workflow = read<Workflow>(`.github/workflows/${name}.yml`);
  const job = workflow.jobs[name];
  if (job === undefined) throw new Error(`${name}.yml has no job ${name}`);
  return { name, notTold, fixedInputs, leftOut, job, secrets: {}, ...workflow.on.workflow_call };
});

test.each(workflows)(
  "the workflow $name has every input that isn't excluded for a reason",
  (workflow) => {
    const offered = [...Object.keys(workflow.inputs), ...Object.keys(workflow.secrets)];
    const expected = [
      ...Object.keys(action.inputs),
      ...own.filter((name) => workflow.inputs[name]),
    ];
    const missing = expected.filter((name) => !(name in workflow.leftOut));
    expect(offered.toSorted()).toEqual(missing.toSorted());
    for (const name of secrets) expect(workflow.inputs).not.toHaveProperty(name);
    for (const reason of Object.values(workflow.leftOut)) expect(reason).toMatch(/\w+ \w+ \w+/);
  },
);

test.each(workflows)(
  "the workflow $name passes every input on, and no other",
  ({ name, inputs, fixedInputs, ...rest }) => {
    const given = rest.job.steps.find(({ id }) => id === "qvs")?.with ?? {};
    const passed = Object.keys(inputs).filter((input) => !own.includes(input));
    expect(given).toEqual({
      mode: name === "plan" ? "diff" : name,
      ...fixedInputs,
      ...Object.fromEntries(passed.map((input) => [input, handedOn(input, "inputs")])),
      ...Object.fromEntries(
        Object.keys(rest.secrets).map((secret) => [secret, `\${{ secrets.${secret} }}`]),
      ),
    });
  },
);

/** What may differ from environment to environment, and is no secret, can be a variable of it. */
const variables: Named<string> = {
  server: "QVS_SERVER",
  "certificate-authority": "QVS_CERTIFICATE_AUTHORITY",
  "oidc-audience": "QVS_OIDC_AUDIENCE",
};

function handedOn(input: string, from: string): string {
  const variable = variables[input];
  return `\${{ ${from}.${input}${variable === undefined ? "" : ` || vars.${variable}`} }}`;
}

test.each(workflows)("the workflow $name has the defaults of the action", ({ name, inputs }) => {
  for (const [input, { description, type, required, default: byDefault }] of Object.entries(
    inputs,
  )) {
    expect(description, input).toMatch(/\.$/);
    expect(input === "timeout-minutes" ? ["number"] : ["string", "boolean"], input).toContain(type);
    if (own.includes(input) || required) continue;
    const expected =
      name === "rollback" && input === "revision" ? "previous" : action.inputs[input]?.default;
    expect(String(byDefault), input).toBe(expected);
  }
});

test.each(workflows)("the workflow $name has every output that isn't excluded", (workflow) => {
  const { name, outputs, job, notTold } = workflow;
  const expected = Object.keys(action.outputs).filter((output) => !(output in notTold));
  expect(Object.keys(outputs).toSorted()).toEqual(expected.toSorted());
  for (const output of expected) {
    const given = `steps.qvs.outputs.${output}`;
    if (name === "plan") {
      const other = output === "deployments" ? "needs.list.outputs.deployments" : given;
      const first = output === "deployments" ? given : `steps.merged.outputs.${output}`;
      expect(job.outputs[output]).toBe(`\${{ ${first} || ${other} }}`);
      expect(outputs[output]?.value).toBe(`\${{ jobs.plan.outputs.${output} }}`);
      continue;
    }
    if (["deployments", "environments", "matrix"].includes(output) && name === "deploy") {
      expect(job.outputs[output]).toContain(`steps.list.outputs.${output}`);
      expect(outputs[output]?.value).toBe(`\${{ jobs.deploy.outputs.${output} }}`);
      continue;
    }
    expect(job.outputs[output]).toBe(`\${{ ${given} }}`);
    const last = name === "deploy" ? `jobs.report.outputs.${output} || ` : "";
    expect(outputs[output]?.value).toBe(`\${{ ${last}jobs.${name}.outputs.${output} }}`);
  }
});

const deploy = read<Workflow>(".github/workflows/deploy.yml");
const level = read<Workflow>(".github/workflows/deploy-level.yml").jobs.deploy;
const levels = Object.entries(deploy.jobs).filter(([name]) => name.startsWith("level-"));

test("each of ten levels waits for the previous one and gets its own jobs", () => {
  expect(levels.map(([name]) => name)).toEqual(
    Array.from({ length: 10 }, (_, index) => `level-${index}`),
  );
  for (const [index, [, job]] of levels.entries()) {
    expect(job.needs).toEqual(index === 0 ? "deploy" : ["deploy", `level-${index - 1}`]);
    expect(job.if).toContain(`.levels[${index}].jobs[0].name`);
    // A condition with a function such as always() would let a level go on after the failure of the one before.
    expect(job.if).not.toMatch(/always|failure|cancelled|success/);
    expect(job.with?.jobs).toContain(`.levels[${index}].jobs)`);
    expect(job.with?.inputs).toBe("${{ toJSON(inputs) }}");
    expect(job.with?.approvals).toBe("${{ needs.deploy.outputs.approvals }}");
    expect(job.secrets).toEqual({
      kubeconfig: "${{ secrets.kubeconfig }}",
      "modules-token": "${{ secrets.modules-token }}",
    });
  }
  expect(deploy.jobs.report?.needs).toEqual(["deploy", ...levels.map(([name]) => name)]);
});

test("a job of a level gets every input of the single job", () => {
  const all = deploy.jobs.deploy?.steps.find(({ id }) => id === "qvs")?.with ?? {};
  const given = level?.steps.find(({ id }) => id === "qvs")?.with ?? {};
  const own = ["mode", "deployment", "comment", "summary", ...secrets];
  expect(Object.keys(given).toSorted()).toEqual([...Object.keys(all), "approvals"].toSorted());
  expect(given.approvals).toBe("${{ inputs.approvals }}");
  for (const name of Object.keys(all).filter((each) => !own.includes(each)))
    expect(given[name]).toBe(handedOn(name, "fromJSON(inputs.inputs)"));
  for (const name of ["mode", ...secrets]) expect(given[name]).toBe(all[name]);
});

const plan = read<Workflow>(".github/workflows/plan.yml");
const each = read<Workflow>(".github/workflows/plan-environments.yml").jobs.plan;

test("the job of an environment gets every input of the single preview, and its own approvals", () => {
  const all = plan.jobs.plan?.steps.find(({ id }) => id === "qvs")?.with ?? {};
  const given = each?.steps.find(({ id }) => id === "qvs")?.with ?? {};
  const own = ["mode", "deployment", "comment", "summary", ...secrets];
  const ofThePlan = ["preview-artifact", "check"];
  const inputs = Object.keys(all).filter((input) => !ofThePlan.includes(input));
  expect(Object.keys(given).toSorted()).toEqual([...inputs, "approvals"].toSorted());
  expect(given.approvals).toBe("${{ inputs.approvals }}");
  for (const name of inputs.filter((input) => !own.includes(input)))
    expect(given[name]).toBe(handedOn(name, "fromJSON(inputs.inputs)"));
  for (const name of ["mode", ...secrets]) expect(given[name]).toBe(all[name]);
});

test("every job accepts labels and groups of runners, and its time limit is an input or short", () => {
  const files = [...workflows.map(({ name }) => name), "plan-environments", "deploy-level"];
  const jobs = files.flatMap((file) =>
    Object.values(read<Workflow>(`.github/workflows/${file}.yml`).jobs),
  );
  const onRunners = jobs.filter((job) => job["runs-on"] !== undefined);
  expect(onRunners.length).toBeGreaterThan(7);
  for (const { "runs-on": runner = "", "timeout-minutes": limit } of onRunners) {
    const input = /\S+\.runs-on(?= \}\})/.exec(runner)?.[0] ?? "";
    expect(runner).toBe(
      `\${{ (startsWith(${input}, '[') || startsWith(${input}, '{')) && fromJSON(${input}) || ${input} }}`,
    );
    const isShort = typeof limit === "number" && limit <= 15;
    expect(isShort || /inputs.*\.timeout-minutes \}\}$/.test(String(limit))).toBe(true);
  }
});

test("previews never wait for the reviewers of a deployment environment", () => {
  expect(plan.jobs.list?.if).toContain("inputs.environment-suffix != ''");
  expect(each?.environment).toEqual({
    name: "${{ matrix.job.environment != '' && format('{0}{1}', matrix.job.environment, fromJSON(inputs.inputs).environment-suffix) || '' }}",
    deployment: false,
  });
  for (const job of ["list", "plan"]) expect(plan.jobs[job]).not.toHaveProperty("environment");
});

test("the check of the job plan has the overall verdict and is never skipped", () => {
  const job = plan.jobs.plan;
  expect(job?.needs).toEqual(["list", "environments"]);
  // GitHub takes a required check that was skipped for one that has passed.
  expect(job?.if).toBe("${{ always() }}");
  const conditions = job?.steps.flatMap(({ run, if: condition }) =>
    run?.includes("exit 1") && condition !== undefined ? [condition] : [],
  );
  expect(conditions).toEqual([
    "${{ needs.list.result == 'cancelled' || needs.environments.result == 'cancelled' }}",
    "${{ needs.list.result == 'success' && needs.list.outputs.matrix == '' }}",
    "${{ !cancelled() && (needs.list.result == 'failure' || needs.environments.result == 'failure') }}",
  ]);
});

test("jobs with variable permissions inherit those of the calling job, and all other jobs declare theirs", () => {
  const files = [...workflows.map(({ name }) => name), "plan-environments", "deploy-level"];
  const found = files.flatMap((file) => {
    const { jobs, ...workflow } = read<Workflow>(`.github/workflows/${file}.yml`);
    const granted = Object.keys(jobs).filter((name) => jobs[name]?.permissions === undefined);
    // A workflow that says what its jobs may do would take from them what the calling job grants.
    const says = "permissions" in workflow;
    expect(says, file).toBe(granted.length === 0);
    return granted.map((name) => `${file}: ${name}`);
  });
  expect(found.filter((each) => !each.includes("level-"))).toEqual([
    "plan: environments",
    "plan: plan",
    "deploy: deploy",
    "rollback: rollback",
    "drift: drift",
    "plan-environments: plan",
    "deploy-level: deploy",
  ]);
  for (const file of ["plan", "deploy", "rollback", "drift", "comment"]) {
    const { jobs, ...workflow } = read<Workflow>(`workflows/${file}.yml`);
    expect(workflow).toMatchObject({ permissions: {} });
    for (const job of Object.values(jobs)) expect(job.permissions).toBeDefined();
  }
});

test("the environment's own GitHub deployment is omitted if each release creates one", () => {
  const rollback = workflows.find(({ name }) => name === "rollback")?.job;
  const off = "${{ !inputs.github-deployments }}";
  const name = "${{ inputs.environment }}";
  for (const job of [deploy.jobs.deploy, rollback])
    expect(job?.environment).toEqual({ name, deployment: off });
  expect(level?.environment).toEqual({
    name: "${{ matrix.job.environment }}",
    deployment: "${{ !fromJSON(inputs.inputs).github-deployments }}",
  });
});

test("previews of two workflows or two lists don't cancel each other", () => {
  const group =
    "qvs-plan-${{ github.workflow }}-${{ inputs.comment-key || inputs.working-directory }}-${{ github.event.pull_request.number || github.ref }}";
  // With jobs before it, each run has its own group: test/project/concurrency.test.ts.
  const ofRun = "${{ inputs.environment-suffix != '' && format('-{0}', github.run_id) || '' }}";
  expect(plan.jobs.plan?.concurrency).toEqual({
    group: `${group}${ofRun}`,
    "cancel-in-progress": true,
  });
  const inputs = group.replaceAll("inputs.", "fromJSON(inputs.inputs).");
  expect(each?.concurrency).toEqual({
    group: `${inputs}-\${{ matrix.job.name }}-\${{ github.run_id }}`,
    "cancel-in-progress": true,
  });
});

test("the runs of two workflows of one fork don't cancel each other's comment", () => {
  const job = workflows.find(({ name }) => name === "comment")?.job;
  expect(job?.concurrency).toEqual({
    group:
      "qvs-comment-${{ github.event.workflow_run.workflow_id }}-${{ github.event.workflow_run.head_repository.full_name }}-${{ github.event.workflow_run.head_branch }}",
    "cancel-in-progress": true,
  });
});

/** What a job uploads or downloads: names and patterns of artifacts. */
function artifactsOf(job: Job | undefined): readonly (string | undefined)[] {
  return (job?.steps ?? []).flatMap((step) =>
    step.uses?.includes("-artifact@") ? [step.with.name ?? step.with.pattern] : [],
  );
}

test("two lists that one run deploys have separate results, whatever the names of their deployments", () => {
  expect(artifactsOf(level)).toEqual(["${{ inputs.results }}-${{ matrix.job.name }}"]);
  for (const [, job] of levels)
    expect(job.with?.results).toBe("${{ needs.deploy.outputs.results }}");
  expect(artifactsOf(deploy.jobs.report)).toEqual(["${{ needs.deploy.outputs.results }}-*"]);
  // What two callers deploy may differ by a secret alone, so nothing that they give can tell them apart.
  const step = deploy.jobs.deploy?.steps.find(({ id }) => id === "artifacts");
  expect(deploy.jobs.deploy?.outputs.results).toBe("${{ steps.artifacts.outputs.results }}");
  expect(step?.run).toBe('echo "results=qvs-result-$RANDOM$RANDOM$RANDOM" >> "$GITHUB_OUTPUT"\n');
});

test("two lists that one run previews have separate plans, and a restarted job overwrites its own", () => {
  const [list, job] = [plan.jobs.list, plan.jobs.plan];
  expect(artifactsOf(each)).toEqual(["${{ inputs.plans }}-${{ matrix.job.name }}"]);
  expect(plan.jobs.environments?.with?.plans).toBe("${{ needs.list.outputs.plans }}");
  expect(list?.outputs.plans).toBe("${{ steps.artifacts.outputs.plans }}");
  expect(artifactsOf(job)).toEqual([
    "${{ steps.artifacts.outputs.plans }}",
    "${{ steps.artifacts.outputs.plans }}-*",
    "${{ steps.page.outputs.name }}",
  ]);
  const [one, other] = [list, job].map((it) => it?.steps.find(({ id }) => id === "artifacts"));
  expect(one).toEqual(other);
  expect(one?.env).toEqual({ INPUTS: "${{ toJSON(inputs) }}" });
  const name = (inputs: string) => outputOf(one, { INPUTS: inputs });
  expect(name('{"working-directory":"a"}')).toMatch(/^plans=qvs-plan-[0-9a-f]{12}\n$/);
  expect(name("{}")).toBe(name("{}"));
  expect(name("{}")).not.toBe(name('{"working-directory":"a"}'));
});

/** What a step writes to its outputs. */
function outputOf(step: { readonly run?: string } | undefined, env: Named<string>): string {
  const file = join(mkdtempSync(join(tmpdir(), "output-")), "output");
  execFileSync("bash", ["-e", "-c", step?.run ?? ""], {
    env: { PATH: process.env.PATH, ...env, GITHUB_OUTPUT: file },
  });
  return readFileSync(file, "utf8");
}

test("two lists that one run previews with separate comments also have separate pages", () => {
  const step = plan.jobs.plan?.steps.find(({ id }) => id === "page");
  expect(step?.env).toEqual({
    KEY: "${{ inputs.comment-key || inputs.working-directory }}",
    PLANS: "${{ steps.artifacts.outputs.plans }}",
  });
  const name = (KEY: string) => outputOf(step, { KEY, PLANS: "qvs-plan-0123456789ab" });
  expect(name("")).toBe("name=qvs-preview.html\n");
  expect(name("apps/shop")).toBe("name=qvs-preview-0123456789ab.html\n");
});

test("deployments and rollbacks wait for each other, and none is canceled or dropped", () => {
  const queue = { queue: "max", "cancel-in-progress": false };
  expect(deploy.jobs.deploy?.concurrency).toEqual({
    group: "qvs-${{ inputs.wait-at == 'lock' && github.run_id || inputs.environment }}",
    ...queue,
  });
  const alone = (settings: string) =>
    `\${{ ${settings}.wait-at == 'lock' && github.run_id || '' }}`;
  const ofLevel = `\${{ matrix.job.group }}${alone("fromJSON(inputs.inputs)")}`;
  expect(level?.concurrency).toEqual({ group: ofLevel, ...queue });
  // buildMatrix makes the group of a deployment's job `qvs-NAME`.
  const rollback = workflows.find(({ name }) => name === "rollback");
  const ofRollback = `qvs-\${{ inputs.deployment }}${alone("inputs")}`;
  expect(rollback?.job.concurrency).toEqual({ group: ofRollback, ...queue });
});

function read<T>(path: string): T {
  return parse(readFileSync(join(root, path), "utf8")) as T;
}
