import { expect, test } from "vitest";
import { previewPullRequest } from "../../../src/action/pull-requests/preview-pull-request.ts";
import { lock } from "../../../src/commands/lock.ts";
import { defaultRequest } from "../../../src/model/deployments/deploy-request.ts";
import { renderComment } from "../../../src/report/comment/render-comment.ts";
import { untrustedReview } from "../../../src/report/review/read-review.ts";
import { GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { cautious } from "../../support/policy.ts";
import { storedReview } from "../../support/report/rendered.ts";
import { useWorlds } from "../../support/shop/shop-world.ts";

const worldAt = useWorlds();

const before = `package web

DesignPattern: {
	parameters: {
		image:    string
		replicas: *2 | int
	}
	resources: app: {
		settings: {
			apiVersion: "v1"
			kind:       "ConfigMap"
			metadata: name: "settings"
			data: LOG_LEVEL: "info"
		}
		web: {
			apiVersion: "apps/v1"
			kind:       "Deployment"
			metadata: name: "web"
			spec: {
				replicas: parameters.replicas
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
}
`;

/** The adapter with another default, a probe, and one more object. */
const after = before
  .replace("*2 |", "*3 |")
  .replace(
    'envFrom: [{configMapRef: name: "settings"}]',
    'envFrom: [{configMapRef: name: "settings"}]\n\t\t\t\t\t\treadinessProbe: httpGet: {path: "/ready", port: 8080}',
  )
  .replace(
    "\t\tweb: {",
    `\t\tbudget: {
			apiVersion: "policy/v1"
			kind:       "PodDisruptionBudget"
			metadata: name: "web"
			spec: {minAvailable: 1, selector: matchLabels: app: "web"}
		}
		web: {`,
  );

const configAt = (revision: string) => `modules:
  - name: acme.example/adapters
    remote: {repo: git.acme.example/adapters, revision: ${revision}}
designPatterns:
  - pattern: acme.example/adapters/web
    params: {image: registry.example/web:1.0.0}
`;

test("the comment on a new adapter version shows the changes of each object and their source", async () => {
  const [adapters, app] = [new GitFixture(), new GitFixture()];
  adapters.commit({
    "cue.mod/module.cue": 'module: "acme.example/adapters"\n',
    "web/web.cue": before,
  });
  adapters.git("tag", "v1.0.0");
  adapters.commit({ "web/web.cue": after });
  adapters.git("tag", "v1.1.0");
  const world = () =>
    worldAt(app.directory, undefined, {
      QVS_CACHE: temporaryDirectory(),
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `url.file://${adapters.directory}.insteadOf`,
      GIT_CONFIG_VALUE_0: "https://git.acme.example/adapters",
    });
  const locked = async (revision: string) => {
    app.commit({ "shop/.valuestream/qvs.yaml": configAt(revision) });
    const { files } = await lock(await world(), undefined);
    for (const { file, text } of files) app.write(file, text);
    return app.commit();
  };
  const base = await locked("v1.0.0");
  const head = await locked("v1.1.0");
  const input = await previewPullRequest(
    await world(),
    {
      base,
      headSha: head,
      pullRequest: 7,
      inline: [],
      request: { ...defaultRequest, policy: cautious },
      withoutCluster: { because: "no kubeconfig was given" },
      choose: (deployments) => deployments,
      adjusted: (deployment) => deployment,
      runUrl: "https://github.com/acme/shop/actions/runs/42",
      repositoryUrl: "https://github.com/acme/shop",
    } as Parameters<typeof previewPullRequest>[1],
    (report) => report,
  );
  // Ids of commits depend on the time.
  const review = storedReview({ ...input, headCommit: "5".repeat(40) });
  const artifactOf = { repository: "acme/shop", isFork: false };
  const comment = renderComment(untrustedReview(review, artifactOf));
  await expect(comment.replaceAll(/\(`[0-9a-f]{12}`\)/g, "(`COMMIT`)")).toMatchFileSnapshot(
    "golden/lock-bump.md",
  );
});
