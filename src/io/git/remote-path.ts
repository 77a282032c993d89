/**
 * Owner and name of a remote repository, however its URL is written: `https://host/acme/shop.git` and
 * `git@host:acme/shop` are both `acme/shop`. Host, port and credentials are left out: a mirror or another protocol is
 * no other repository. undefined for a folder, whose place says nothing.
 */
export function remotePath(url: string): string | undefined {
  const path =
    /^[a-z][a-z+]*:\/\/[^/]+\/(.+)$/i.exec(url)?.[1] ?? /^[^/:]+:(?!\/\/)(.+)$/.exec(url)?.[1];
  const parts = path?.split("/").filter((part) => part !== "") ?? [];
  const name = parts
    .slice(-2)
    .join("/")
    .replace(/\.git$/, "");
  return name === "" ? undefined : name;
}
