import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");
const lines = readFileSync(join(root, "Containerfile"), "utf8").split("\n");

function argumentsOf(instruction: string): readonly string[] {
  const found = lines.filter((line) => line.startsWith(`${instruction} `));
  return found.map((line) => line.slice(instruction.length + 1));
}

test("the image contains only the program, with a user other than root", () => {
  expect([argumentsOf("FROM"), argumentsOf("USER"), argumentsOf("RUN")]).toEqual([
    [expect.stringMatching(/^gcr\.io\/distroless\/nodejs24-debian\d+:nonroot$/)],
    ["65532:65532"],
    [],
  ]);
  const packed = [...manifest.files, "package.json"];
  const copied = argumentsOf("COPY").flatMap((line) => line.split(" ").slice(0, -1));
  expect(copied.filter((path) => !packed.includes(path))).toEqual([]);
});

test("the copied files are sufficient to start the command, without git, HOME and a writable directory", () => {
  const image = mkdtempSync(join(tmpdir(), "qvs-image-"));
  onTestFinished(() => rmSync(image, { recursive: true }));
  for (const line of argumentsOf("COPY")) {
    const paths = line.split(" ");
    const to = paths.pop() ?? "";
    for (const path of paths) {
      const target = join(image, to, to.endsWith("/dist/") ? "" : path);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(join(root, path), target, { recursive: true });
    }
  }
  const [, program = "", ...first] = JSON.parse(argumentsOf("ENTRYPOINT")[0] ?? "[]") as string[];
  const command = JSON.parse(argumentsOf("CMD")[0] ?? "[]") as string[];
  const args = [join(image, program), ...first];
  const run = (more: readonly string[]) =>
    spawnSync(process.execPath, [...args, ...more], { cwd: image, env: {}, encoding: "utf8" });
  expect(run(command)).toMatchObject({ status: 0, stdout: expect.stringContaining("--watch") });
  const started = run(["reconcile", "--watch", "--namespaces", "shop", "--listen", "127.0.0.1:0"]);
  // The command starts, and fails only because there is no cluster.
  expect(started).toMatchObject({ status: 1, stderr: expect.stringContaining("no kubeconfig") });
});

const builder = ["podman", "buildah", "docker"].find(
  (name) => spawnSync(name, ["info"], { stdio: "ignore" }).status === 0,
);

// Without a program that builds images, only the two tests above run. The report shows this one as
// skipped.
test.skipIf(builder === undefined)(
  `the image is built and starts${builder === undefined ? " (skipped: neither podman, buildah nor a Docker daemon runs here)" : ""}`,
  () => {
    const tag = `qvs-test-${process.pid}`;
    const build = builder === "buildah" ? ["bud"] : ["build"];
    execFileSync(builder as string, [...build, "-f", "Containerfile", "-t", tag, "."], {
      cwd: root,
    });
    if (builder === "buildah") return;
    const run = ["run", "--rm", "--read-only", "--network=none", "--cap-drop=ALL", tag];
    expect(execFileSync(builder as string, run, { encoding: "utf8" })).toContain("--watch");
    execFileSync(builder as string, ["rmi", "-f", tag]);
  },
);
