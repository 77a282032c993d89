import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { calling } from "../../../scripts/callers.ts";
import { actionPath, actionUnderTest } from "../action/act.ts";

/** A Git repository of an application: a config, an adapter and the three workflows of qvs. */
export interface ShopRepository {
  readonly folder: string;
  /** Writes the params file and commits it. Returns the ID of the commit. */
  commitParams(params: Readonly<Record<string, string>>): string;
  /** Writes a file and commits it. Returns the ID of the commit. */
  commitFile(path: string, text: string): string;
  /** Writes several files and commits them together. Returns the ID of the commit. */
  commitFiles(files: Readonly<Record<string, string>>): string;
  branch(name: string): void;
  checkout(branch: string): void;
  /** Merges a branch into main and checks out main. Returns the ID of the merge commit. */
  merge(name: string): string;
  remove(): void;
}

const files = {
  // A caller that deploy.yml must block.
  ".github/workflows/careless.yml": `
on: pull_request
jobs:
  deploy:
    uses: ${actionPath(".github/workflows/deploy.yml")}
    secrets: {kubeconfig: "\${{ secrets.KUBECONFIG }}"}
`,
  ".valuestream/qvs.yaml": `
params:
  - {name: version, type: string}
  - {name: greeting, type: string}
modules:
  - name: shop.example/adapters
    local: {path: ../adapters}
designPatterns:
  - pattern: shop.example/adapters/web
    params: {image: "shop:$(params.version)", greeting: $(params.greeting)}
`,
  "adapters/cue.mod/module.cue": `
module: "shop.example/adapters"
language: version: "v0.12.0"
`,
  "adapters/web/main.cue": `
package web

DesignPattern: {
	parameters: {image: string, greeting: string}
	resources: appSetup: settings: {
		provider:   "kubernetes"
		apiVersion: "v1"
		kind:       "ConfigMap"
		metadata: name: "settings"
		data: greeting: parameters.greeting
	}
	resources: app: web: {
		provider:   "kubernetes"
		apiVersion: "apps/v1"
		kind:       "Deployment"
		metadata: name: "web"
		spec: {
			replicas: 1
			selector: matchLabels: app: "web"
			template: {
				metadata: labels: app: "web"
				spec: containers: [{
					name:  "web"
					image: parameters.image
					envFrom: [{configMapRef: name: "settings"}]
				}]
			}
		}
	}
}
`,
};

export function createShopRepository(
  namespace: string,
  entries: readonly object[] = [{ name: "shop" }],
): ShopRepository {
  const folder = mkdtempSync(join(tmpdir(), "shop-"));
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=Dev", "-c", "user.email=dev@shop.example", ...args], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", "https://github.com/acme/shop.git");
  /** Records the fetched position of the branch like actions/checkout. Returns the commit. */
  const pushed = () => {
    git("update-ref", `refs/remotes/origin/${git("branch", "--show-current")}`, "HEAD");
    return git("rev-parse", "HEAD");
  };
  for (const [path, text] of Object.entries(files)) write(folder, path, text);
  write(folder, ".valuestream/deployments.yaml", deployments(namespace, entries));
  const callers = join(import.meta.dirname, "../../../workflows");
  for (const name of readdirSync(callers)) {
    const caller = readFileSync(join(callers, name), "utf8");
    write(folder, `.github/workflows/${name}`, calling(caller, actionUnderTest));
  }
  const commit = (message: string) => {
    git("add", "--all");
    git("commit", "--quiet", "--message", message);
    return pushed();
  };
  return {
    folder,
    commitParams(params) {
      write(folder, "params.yaml", JSON.stringify(params));
      return commit(JSON.stringify(params));
    },
    commitFile(path, text) {
      write(folder, path, text);
      return commit(`Write ${path}`);
    },
    commitFiles(all) {
      for (const [path, text] of Object.entries(all)) write(folder, path, text);
      return commit(`Write ${Object.keys(all).join(", ")}`);
    },
    checkout: (branch) => void git("checkout", "--quiet", branch),
    branch: (name) => void git("checkout", "--quiet", "-b", name),
    merge(name) {
      git("checkout", "--quiet", "main");
      git("merge", "--quiet", "--no-ff", "--message", `Merge ${name}`, name);
      return pushed();
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function deployments(namespace: string, entries: readonly object[]): string {
  const common = { config: "qvs.yaml", params: ["../params.yaml"], namespace };
  return JSON.stringify({ deployments: entries.map((entry) => ({ ...common, ...entry })) });
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
