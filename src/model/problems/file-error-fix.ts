import { fieldOf } from "../json.ts";

/** The fixes for errors of the operating system that other permissions don't solve. */
const fixes: Readonly<Record<string, string>> = {
  EDQUOT: "Free space on the disk",
  EIO: "Check the disk",
  EISDIR: "Name a file instead of a directory",
  ELOOP: "Remove the cycle of links",
  EMFILE: "Raise the limit of open files, as with ulimit -n",
  ENAMETOOLONG: "Use a shorter path",
  ENFILE: "Raise the limit of open files of the system",
  ENOENT: "Correct the path, because nothing exists there",
  ENOSPC: "Free space on the disk",
  ENOTDIR: "Correct the path, because a part of it is a file",
  EROFS: "Use a path on a writable file system",
};

/**
 * Returns the fix for a file that can't be read or written, by the error code of Node.js.
 * `permissionFix` is the fix for missing permissions and for unknown codes.
 */
export function fileErrorFix(code: string | undefined, permissionFix: string): string {
  return (code === undefined ? undefined : fieldOf(fixes, code)) ?? permissionFix;
}

/** Reports whether other permissions would solve the error. */
export function isPermissionError(code: string | undefined): boolean {
  return code === "EACCES" || code === "EPERM";
}
