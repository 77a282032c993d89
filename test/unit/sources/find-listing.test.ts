import { expect, test } from "vitest";
import type { Deployment } from "../../../src/model/deployments/deployment.ts";
import { userError } from "../../../src/model/problems/errors.ts";
import type { NewestCommit } from "../../../src/ports/git.ts";
import type { World } from "../../../src/ports/world.ts";
import { createListingLookup } from "../../../src/sources/find-listing.ts";
import { shopDeployment } from "../../support/shop/shop-report.ts";

const commit = "0123456789abcdef".repeat(2);

/** Returns the listing of a deployment at the newest commit of main, which has these files. */
async function listingFor(
  files: Readonly<Record<string, string>>,
  deployment: Deployment,
  context?: string,
): Promise<string> {
  const tree = {
    read: async (path: string) => files[path],
    list: async (endings: readonly string[]) =>
      Object.keys(files).filter((path) => endings.some((ending) => path.endsWith(ending))),
  };
  return describe({ type: "known", commit, tree }, deployment, context);
}

async function describe(newest: NewestCommit, deployment: Deployment, context?: string) {
  const branches: string[] = [];
  const newestOf = async (branch: string) => {
    branches.push(branch);
    return newest;
  };
  const world = { newestCommit: newestOf, repositoryName: "shop", folder: "a" } as unknown as World;
  const adjusted = (each: Deployment) => ({ ...each, context: context ?? each.context });
  const listing = await createListingLookup(world, "main", adjusted)(adjusted(deployment));
  expect(branches).toEqual(["main"]);
  if (listing.type === "unknown") return `unknown: ${listing.why}`;
  return listing.type === "listed" ? `listed ${listing.otherList ?? "here"}` : listing.type;
}

const web = shopDeployment({ name: "web", namespace: "shop", context: undefined });
const removed: Deployment = { ...web, onRemoved: "delete" };
const file = (folder: string) => `${folder}/.valuestream/deployments.yaml`;
const list = (name: string, more = "") =>
  `deployments:\n  - {name: ${name}, config: qvs.yaml, namespace: shop${more}}\n`;
const none = "deployments: []\n";

const cases: readonly (readonly [string, Promise<string>, string])[] = [
  ["its own list contains it", listingFor({ [file("a")]: list("web") }, web), "listed here"],
  [
    "its own list contains only another one",
    listingFor({ [file("a")]: list("api") }, web),
    "not listed",
  ],
  [
    "its own list contains it with another namespace or context",
    listingFor({ [file("a")]: list("web", ", context: b") }, web),
    "not listed",
  ],
  [
    "its own list contains it with another namespace or context, and its old objects were to be deleted",
    listingFor({ [file("a")]: list("web", ", context: b") }, removed),
    "listed here",
  ],
  [
    "the list of another directory contains it",
    listingFor({ [file("a")]: none, [file("b")]: list("web") }, removed),
    `listed ${file("b")}`,
  ],
  [
    "the list of another directory contains it, and inputs set its namespace",
    listingFor({ [file("a")]: none, [file("b")]: list("web") }, removed, "production"),
    `listed ${file("b")}`,
  ],
  [
    "no list exists any more, and its objects were to be deleted",
    listingFor({ "a/README.md": "" }, removed),
    "unknown: the newest commit of the branch has no list of deployments",
  ],
  ["a removed config that was in no list", listingFor({ "a/README.md": "" }, web), "not listed"],
  [
    "a list has errors",
    listingFor({ [file("a")]: none, [file("b")]: "deployments: 1" }, removed),
    `unknown: the newest commit of the branch has errors in ${file("b")}, which might list it`,
  ],
  [
    "there are too many lists to read",
    listingFor(
      Object.fromEntries(Array.from({ length: 102 }, (_, index) => [file(`a${index}`), none])),
      web,
    ),
    "unknown: the newest commit of the branch has more than 100 lists of deployments",
  ],
  [
    "GitHub doesn't report the commit of the branch",
    describe({ type: "unknown", why: "GitHub answered 403", fix: "" }, web),
    "unknown: GitHub answered 403",
  ],
  [
    "GitHub doesn't report the files",
    describe(
      {
        type: "known",
        commit,
        tree: {
          read: async () => {
            throw userError("github-api-error", "GitHub answered 502", "Try again");
          },
          list: async () => [],
        },
      },
      web,
    ),
    "unknown: the newest commit of the branch, 0123456789ab, can't be read: GitHub answered 502",
  ],
];

test.each(cases)("%s", async (_, listing, expected) => {
  expect(await listing).toBe(expected);
});
