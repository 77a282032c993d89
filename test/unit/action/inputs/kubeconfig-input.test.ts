import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import {
  kubeconfigWarnings,
  readKubeconfigInput,
} from "../../../../src/action/inputs/kubeconfig-input.ts";
import { asPrinted } from "../../../support/platform/masks.ts";

const token = "t0ken-that-nobody-may-read";
const config = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": "dev",
  clusters: [{ name: "dev", cluster: { server: "https://dev.example" } }],
  users: [
    { name: "me", user: { token, "client-key-data": "S0VZREFUQUtFWQ==" } },
    {
      name: "plugin",
      user: {
        exec: {
          command: "cloud-login",
          args: ["--secret=abcdefgh"],
          env: [{ name: "REGION", value: "eu" }],
        },
      },
    },
  ],
  contexts: [{ name: "dev", context: { cluster: "dev", user: "me" } }],
};
const json = JSON.stringify(config);
const yaml = JSON.stringify(config, null, 2);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const secrets = [token, "S0VZREFUQUtFWQ==", "--secret=abcdefgh"];

/** Returns the meaning of the input, and the lines that the runner masks. */
function read(input: string) {
  const output: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => output.push(String(text)) > 0);
  const result = readKubeconfigInput(input);
  vi.restoreAllMocks();
  const printed = output.join("").trimEnd();
  const masked =
    printed === "" ? [] : printed.split("\n").map((line) => line.replace("::add-mask::", ""));
  return { result, masked };
}

afterEach(() => void vi.restoreAllMocks());

test.each([
  ["YAML", yaml, yaml],
  ["JSON on one line", json, json],
  ["YAML in Base64", base64(yaml), yaml],
  ["JSON in Base64, in lines", base64(json).replaceAll(/.{76}/g, "$&\n"), json],
])("%s is a kubeconfig, and qvs masks all its credentials", (_, input, content) => {
  const { result, masked } = read(input);
  expect(result).toEqual({ ok: true, value: { content } });
  for (const secret of [...secrets, base64(content)]) expect(masked).toContain(secret);
  for (const harmless of ["apiVersion: v1", '"apiVersion": "v1",', "cloud-login", "REGION", "eu"]) {
    expect(masked).not.toContain(harmless);
  }
});

test("a one-line kubeconfig is masked as given", () => {
  expect(read(json).masked).toContain(json);
  expect(read(base64(yaml)).masked).toContain(base64(yaml));
});

test.each([
  ["a token", token],
  ["a path to nothing", "/nowhere/kubeconfig.yaml"],
  ["a directory", tmpdir()],
  ["JSON of something else", JSON.stringify({ token })],
  ["Base64 of something else", base64(`password: ${token}`)],
])("%s is masked and not repeated", (_, input) => {
  const { result, masked } = read(input);
  expect(masked).toContain(input);
  expect(result).toMatchObject({
    ok: false,
    problems: [{ what: "Input kubeconfig: the value isn't a kubeconfig or an existing file" }],
  });
  expect(JSON.stringify(result)).not.toContain(input);
});

test("invalid YAML is masked by line and kept, so that the later error about the cluster contains the line", () => {
  const input = `users:\n- token: ${token}\n - "`;
  expect(read(input)).toMatchObject({
    result: { ok: true, value: { content: input } },
    masked: expect.arrayContaining([`- token: ${token}`]),
  });
});

test("a path to a file is a path, and nothing is masked", () => {
  const folder = mkdtempSync(join(tmpdir(), "qvs-input-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "config");
  writeFileSync(path, yaml);
  expect(read(path)).toEqual({ result: { ok: true, value: { path } }, masked: [] });
});

test("an empty input isn't a kubeconfig", () => {
  expect(read("")).toEqual({ result: { ok: true, value: undefined }, masked: [] });
});

const asKubectlPrintsIt = `apiVersion: v1
kind: Config
users:
- name: me
  user:
    token: ${token}
`;

test.each([
  ["YAML", asKubectlPrintsIt, "metadata, ***Map, replicas"],
  ["JSON in lines", yaml, undefined],
  ["JSON on one line", json, "metadata, kind: ConfigMap, replicas"],
  ["YAML in Base64", base64(asKubectlPrintsIt), "metadata, kind: ConfigMap, replicas"],
  [
    "Base64 in lines",
    base64(yaml).replaceAll(/.{76}/g, "$&\n"),
    "metadata, kind: ConfigMap, replicas",
  ],
  ["a path", "/home/runner/.kube/config", "metadata, kind: ConfigMap, replicas"],
])("%s as a secret: a warning if it masks other texts", (_, input, expected) => {
  const printed = asPrinted("metadata, kind: ConfigMap, replicas", input);
  if (expected !== undefined) expect(printed).toBe(expected);
  const isHarmful = expected === undefined || printed.includes("***");
  expect(kubeconfigWarnings(input).map(({ code }) => code)).toEqual(
    isHarmful ? ["kubeconfig-in-lines"] : [],
  );
});
