import { expect, test } from "vitest";
import { syncIssue } from "../../../../src/action/drift/report-drift.ts";
import type { Issue, Issues } from "../../../../src/ports/github.ts";
import { escapeText, issueTitle, md } from "../../../../src/redaction/markdown.ts";
import { joined } from "../../../../src/redaction/shown.ts";

/**
 * Each deployment has one issue, whatever other users have opened, closed or written
 * (docs/operate/detect-drift.md#check-every-day-on-github).
 */
const botName = "github-actions[bot]";
const marker = "<!-- qvs-action:drift v1 shop -->";

type Known = Partial<Issue> & { readonly number: number; readonly state: "open" | "closed" };

const qvsIssue = (number: number, text: string, more: Partial<Known> = {}): Known => ({
  number,
  body: `${marker}\n${text}\n`,
  author: botName,
  state: "open",
  ...more,
});

const cases: readonly {
  readonly name: string;
  readonly before: readonly Known[];
  readonly text: string;
  readonly isOpen: boolean;
  /** The requests to GitHub, in order. */
  readonly expected: readonly string[];
}[] = [
  {
    name: "the first drift opens one",
    before: [],
    text: "a differs",
    isOpen: true,
    expected: ["closed ones are asked for", "create: a differs"],
  },
  {
    name: "a deployment without drift opens none, and qvs doesn't list closed ones",
    before: [],
    text: "nothing",
    isOpen: false,
    expected: [],
  },
  {
    name: "the same text isn't written again, even with other line ends",
    before: [qvsIssue(1, "a differs", { body: `${marker}\r\na differs` })],
    text: "a differs",
    isOpen: true,
    expected: [],
  },
  {
    name: "another text replaces it",
    before: [qvsIssue(1, "a differs")],
    text: "b differs",
    isOpen: true,
    expected: ["1 open: b differs"],
  },
  {
    name: "it is closed when nothing differs any more",
    before: [qvsIssue(1, "a differs")],
    text: "nothing",
    isOpen: false,
    expected: ["1 closed: nothing"],
  },
  {
    name: "qvs reopens the newest of several if drift returns",
    before: [
      qvsIssue(1, "older", { state: "closed" }),
      qvsIssue(2, "nothing", { state: "closed" }),
    ],
    text: "a differs",
    isOpen: true,
    expected: ["closed ones are asked for", "2 open: a differs"],
  },
  {
    name: "an issue closed as not planned stays closed while its text is the same",
    before: [qvsIssue(1, "a differs", { state: "closed", isNotPlanned: true })],
    text: "a differs",
    isOpen: true,
    expected: ["closed ones are asked for"],
  },
  {
    name: "it is reopened if its text changes",
    before: [qvsIssue(1, "a differs", { state: "closed", isNotPlanned: true })],
    text: "b differs",
    isOpen: true,
    expected: ["closed ones are asked for", "1 open: b differs"],
  },
  {
    name: "an issue of another author with the marker is ignored",
    before: [qvsIssue(1, "a differs", { author: "mallory" })],
    text: "b differs",
    isOpen: true,
    expected: ["closed ones are asked for", "create: b differs"],
  },
  {
    name: "an issue about another deployment is ignored",
    before: [qvsIssue(1, "a differs", { body: "<!-- qvs-action:drift v1 other -->\na differs" })],
    text: "nothing",
    isOpen: false,
    expected: [],
  },
  {
    name: "the newer of two open issues is closed",
    before: [qvsIssue(2, "a differs"), qvsIssue(1, "a differs")],
    text: "a differs",
    isOpen: true,
    expected: ["2 closed: a differs"],
  },
];

test.each(cases)("the issue of a deployment: $name", async ({ before, text, isOpen, expected }) => {
  const { issues, written } = fake(before);
  const title = issueTitle("Drift: shop");
  await syncIssue(issues, { key: "shop", title, text: escapeText(text), isOpen });
  expect(written.map((each) => each.trimEnd())).toEqual(expected);
});

test("a text that is too long for GitHub is cut at a line", async () => {
  const { issues, written } = fake([]);
  const row = escapeText("x".repeat(99));
  const text = joined(Array(1000).fill(row), "\n");
  await syncIssue(issues, { key: "shop", title: issueTitle("Drift"), text, isOpen: true });
  const body = written.at(-1) ?? "";
  expect(body.length).toBeLessThan(65_000);
  expect(body).toMatch(/\nx{99}\n\n… and more in the summary of the run\n$/);
});

test("a key can't end the marker", async () => {
  const { issues } = fake([]);
  const bodies: string[] = [];
  const create: Issues["create"] = async (title, body) => {
    bodies.push(body);
    return issues.create(title, body);
  };
  const driftIssue = {
    key: "a --> <script>\n",
    title: issueTitle("Drift"),
    text: md`x`,
    isOpen: true,
  };
  await syncIssue({ ...issues, create }, driftIssue);
  expect(bodies[0]?.split("\n")[0]).toBe(
    "<!-- qvs-action:drift v1 a%20%2D%2D%3E%20%3Cscript%3E%0A -->",
  );
});

function fake(known: readonly Known[]) {
  const written: string[] = [];
  const all = known.map(({ state, ...issue }) => ({ issue: issueOf(issue), state }));
  const listed = (driftIssue: string) =>
    all.filter(({ state }) => state === driftIssue).map(({ issue }) => issue);
  const withoutMarker = (body: string) => body.replace(/^<!--.*-->\n/, "");
  const issues: Issues = {
    author: async () => botName,
    open: async () => listed("open"),
    closed: async () => {
      written.push("closed ones are asked for");
      return listed("closed");
    },
    create: async (_, body) => {
      written.push(`create: ${withoutMarker(body)}`);
      return issueOf({ number: 99, body });
    },
    update: async (number, body, state) => {
      written.push(`${number} ${state}: ${withoutMarker(body)}`);
      return issueOf({ number, body });
    },
  };
  return { issues, written };
}

function issueOf(issue: Partial<Issue> & { readonly number: number }): Issue {
  const url = `https://github.com/acme/shop/issues/${issue.number}`;
  return { body: "", author: botName, url, isNotPlanned: false, ...issue };
}
