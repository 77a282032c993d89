import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The operations that qvs uses in GitHub's OpenAPI description.
 * This script extracts them, so that the fake GitHub can check requests and its own answers. The
 * description is too large for a dependency. Install it elsewhere for this:
 *
 *     npm install --prefix /tmp/openapi @octokit/openapi
 *     node test/support/fake-github/extract-openapi.ts /tmp/openapi/node_modules/@octokit/openapi
 */
const operations: readonly Operation[] = [
  { path: "/repos/{owner}/{repo}/issues/{issue_number}/comments", method: "get", answer: true },
  { path: "/repos/{owner}/{repo}/issues/{issue_number}/comments", method: "post", answer: true },
  { path: "/repos/{owner}/{repo}/issues/{issue_number}/labels", method: "get", answer: true },
  { path: "/repos/{owner}/{repo}/issues/{issue_number}/labels", method: "post", answer: true },
  {
    path: "/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}",
    method: "delete",
    answer: true,
  },
  { path: "/repos/{owner}/{repo}/issues/comments/{comment_id}", method: "patch", answer: true },
  { path: "/repos/{owner}/{repo}/issues/comments/{comment_id}", method: "delete", answer: false },
  { path: "/repos/{owner}/{repo}/issues", method: "get", answer: false },
  { path: "/repos/{owner}/{repo}/issues", method: "post", answer: false },
  { path: "/repos/{owner}/{repo}/issues/{issue_number}", method: "patch", answer: false },
  { path: "/repos/{owner}/{repo}/commits/{commit_sha}/pulls", method: "get", answer: false },
  { path: "/repos/{owner}/{repo}/git/ref/{ref}", method: "get", answer: true },
  { path: "/repos/{owner}/{repo}/git/trees/{tree_sha}", method: "get", answer: true },
  { path: "/repos/{owner}/{repo}/git/blobs/{file_sha}", method: "get", answer: true },
  { path: "/repos/{owner}/{repo}/compare/{basehead}", method: "get", answer: false },
  { path: "/repos/{owner}/{repo}/deployments", method: "get", answer: true },
  { path: "/repos/{owner}/{repo}/deployments", method: "post", answer: true },
  {
    path: "/repos/{owner}/{repo}/deployments/{deployment_id}/statuses",
    method: "get",
    answer: true,
  },
  {
    path: "/repos/{owner}/{repo}/deployments/{deployment_id}/statuses",
    method: "post",
    answer: true,
  },
  { path: "/repos/{owner}/{repo}/check-runs", method: "post", answer: false },
  { path: "/repos/{owner}/{repo}/pulls", method: "get", answer: false },
  { path: "/repos/{owner}/{repo}/pulls/{pull_number}", method: "get", answer: false },
  { path: "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts", method: "get", answer: true },
  {
    path: "/repos/{owner}/{repo}/collaborators/{username}/permission",
    method: "get",
    answer: false,
  },
  {
    path: "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions",
    method: "post",
    answer: false,
  },
  {
    path: "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs",
    method: "get",
    answer: false,
  },
  { path: "/repos/{owner}/{repo}/actions/runs/{run_id}/rerun", method: "post", answer: false },
  {
    path: "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches",
    method: "post",
    answer: false,
  },
  {
    path: "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}",
    method: "get",
    answer: false,
  },
];

interface Operation {
  readonly path: string;
  readonly method: string;
  /**
   * True if the fake's answers are checked, too. A complete pull request would need a hundred
   * fields.
   */
  readonly answer: boolean;
}

/** Descriptions and samples, which are most of the file and irrelevant for checks. */
const prose = [
  "description",
  "example",
  "examples",
  "externalDocs",
  "title",
  "summary",
  "default",
  "x-github",
];

const [packageFolder = ""] = process.argv.slice(2);
const description = JSON.parse(
  readFileSync(join(packageFolder, "generated/api.github.com.deref.json"), "utf8"),
);
const extracted = operations.map(({ path, method, answer }) => {
  const { parameters = [], requestBody, responses } = description.paths[path][method];
  return {
    method: method.toUpperCase(),
    path,
    parameters: parameters.map(parameterOf),
    body: jsonSchemaOf(requestBody),
    answer: answer ? jsonSchemaOf(responses[200] ?? responses[201]) : null,
  };
});
const fixture = { version: description.info.version, operations: extracted };
writeFileSync(join(import.meta.dirname, "openapi.json"), `${JSON.stringify(fixture, null, 2)}\n`);

function parameterOf(parameter: { name: string; in: string; required?: boolean; schema: unknown }) {
  const { name, in: place, required = false, schema } = parameter;
  return { name, in: place, required, schema: withoutProse(schema) };
}

function jsonSchemaOf(content: unknown): unknown {
  const { content: media } = (content ?? {}) as { content?: Record<string, { schema: unknown }> };
  return withoutProse(media?.["application/json"]?.schema ?? null);
}

/**
 * Removes descriptions from a schema. A property named `description` or `title` is a schema and
 * stays.
 */
function withoutProse(schema: unknown, isProperties = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withoutProse(item));
  if (typeof schema !== "object" || schema === null) return schema;
  // Next to a choice of types, `nullable` has no meaning and the checker rejects it.
  const saysNothing = (key: string) => key === "nullable" && !Object.hasOwn(schema, "type");
  const entries = Object.entries(schema).filter(
    ([key]) => isProperties || !(prose.includes(key) || saysNothing(key)),
  );
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      withoutProse(value, !isProperties && key === "properties"),
    ]),
  );
}
