import { compile, type Fault } from "./fault.ts";

const listed = `deployments:
  - {name: shop-staging, config: qvs.yaml}
  - {name: shop-production, config: qvs.yaml}
`;

/** Nothing listens at its address. */
const kubeconfig = `current-context: staging
contexts: [{name: staging, context: {cluster: staging, user: dev}}]
clusters: [{name: staging, cluster: {server: "https://127.0.0.1:9"}}]
users: [{name: dev, user: {token: t0ken}}]
`;

const deploy = ["deploy", "--params", "params.yaml"];

/** Files, deployments and clusters that are not there. */
export const faultsAround: readonly Fault[] = [
  {
    name: "a config that does not exist",
    args: ["compile", "--config", "services/qvs.yaml"],
    says: `
The QVS config services/qvs.yaml does not exist
  → Check the path, which counts from the root of the repository; the Action reads only what is committed

Nothing was changed.
`,
  },
  {
    name: "a params file that does not exist",
    args: ["compile", "--params", "staging.yaml"],
    says: `
The params file staging.yaml does not exist
  → Check the path, which counts from the root of the repository; the Action reads only what is committed

Nothing was changed.
`,
  },
  {
    name: "a config outside of the repository",
    args: ["compile", "--config", "../qvs.yaml"],
    says: `
../qvs.yaml is outside of the repository DIR
  → Name a file inside of it

Nothing was changed.
`,
  },
  {
    name: "a deployment that is not listed",
    files: { ".valuestream/deployments.yaml": listed },
    args: [...compile, "--deployment", "shop-stagin"],
    says: `
There is no deployment "shop-stagin" (did you mean "shop-staging"?)
  → Choose one with --deployment: shop-staging, shop-production

Nothing was changed.
`,
  },
  {
    name: "more than one deployment, and none is named",
    files: { ".valuestream/deployments.yaml": listed },
    says: `
There is more than one deployment here
  → Choose one with --deployment: shop-staging, shop-production

Nothing was changed.
`,
  },
  {
    name: "a base that is in no repository",
    args: ["diff", "--base", "main"],
    says: `
This folder is in no git repository
  → Run this inside of one, or leave out the base

Nothing was changed.
`,
  },
  {
    name: "no kubeconfig",
    args: [...deploy],
    says: `
There is no kubeconfig: neither KUBECONFIG nor ~/.kube/config, and this is not a Pod with a service account
  → Give a kubeconfig, or set KUBECONFIG to the path of one

Nothing was changed.
`,
  },
  {
    name: "a kubeconfig that does not exist",
    args: [...deploy, "--kubeconfig", "nowhere.yaml"],
    says: `
There is no kubeconfig at DIR/nowhere.yaml
  → Correct the path of the kubeconfig

Nothing was changed.
`,
  },
  {
    name: "a context that the kubeconfig does not have",
    files: { "kubeconfig.yaml": kubeconfig },
    args: [...deploy, "--kubeconfig", "kubeconfig.yaml", "--context", "stagin"],
    says: `
The kubeconfig has no context "stagin"
  → Did you mean "staging"? It has staging

Nothing was changed.
`,
  },
  {
    name: "a cluster that does not answer, when deploying",
    files: { "kubeconfig.yaml": kubeconfig },
    args: [...deploy, "--kubeconfig", "kubeconfig.yaml"],
    says: `
Deployment "shop" cannot be locked: 127.0.0.1:9 cannot be reached: nothing listens there (ECONNREFUSED)
  → Check the server in the kubeconfig and the network in between

Nothing was changed.
`,
  },
  {
    name: "a cluster that does not answer, when comparing",
    files: { "kubeconfig.yaml": kubeconfig },
    args: ["diff", "--params", "params.yaml", "--kubeconfig", "kubeconfig.yaml"],
    says: `
Cannot read the releases of shop in namespace default: 127.0.0.1:9 cannot be reached: nothing listens there (ECONNREFUSED)
  → Check that the cluster runs, and the server's address in the kubeconfig

Nothing was changed.
`,
  },
];
