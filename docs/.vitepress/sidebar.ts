const group = (text: string, folder: string, pages: readonly (readonly [string, string])[]) => ({
  text,
  items: pages.map(([name, page]) => ({ text: name, link: `/${folder}${page}` })),
});

/** Every page is here once; a test sees to it. */
export const sidebar = [
  group("Tutorials", "tutorials/", [
    ["First deployment", "first-deployment"],
    ["Write an adapter", "first-adapter"],
    ["Previews on GitHub", "on-github"],
    ["Coming from kubectl", "from-kubectl"],
    ["Coming from Helm", "from-helm"],
    ["Coming from kapp", "from-kapp"],
    ["Coming from Argo CD", "from-argo-cd"],
  ]),
  group("How-to", "how-to/", [
    ["Install", "install"],
    ["Set up an editor", "editors"],
    ["Permissions", "permissions"],
    ["Log in to a cloud", "cloud-logins"],
    ["Private modules", "private-modules"],
    ["Deploy what was approved", "approved-plan"],
    ["Roll back", "roll-back"],
    ["Migrations with Jobs", "migrations"],
    ["Roll out settings", "settings"],
    ["GitHub Enterprise Server", "enterprise-server"],
  ]),
  group("Reference", "reference/", [
    ["Commands", "commands"],
    ["The Action", "action"],
    ["Configuration", "config"],
    ["Infrastructure Adapters", "adapters"],
    ["Annotations", "annotations"],
    ["Deployment", "deployment"],
    ["Preview", "preview"],
    ["Field ownership", "ownership"],
    ["Releases", "releases"],
    ["Findings", "findings"],
    ["Problems", "problems"],
    ["Plan format", "plan-format"],
  ]),
  group("Explanation", "explanation/", [
    ["Why previews are right", "previews"],
    ["Order", "order"],
    ["Ownership", "ownership"],
    ["What is trusted", "security"],
    ["Performance and scale", "performance"],
    ["Compared with other tools", "comparison"],
  ]),
  group("Development", "", [["Decisions", "decisions"]]),
];
