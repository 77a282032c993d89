/**
 * Shows the progress of a build: the name, the finished part and the time. A terminal has one line
 * that changes. Other output gets a line from time to time.
 */
export interface BuildProgress {
  /** Reads a line of `go install -v`. Returns false for a message to a person. */
  hear(line: string): boolean;
  end(): void;
}

const everyMs = 15_000;

/**
 * Starts the progress. `packages` is the total number. Go doesn't report packages that it has built
 * before.
 */
export function showBuildProgress(
  name: string,
  packages: number,
  stream: NodeJS.WriteStream = process.stderr,
  now: () => number = Date.now,
): BuildProgress {
  const began = now();
  let built = 0;
  let fetched = 0;
  let shownAt = began;
  const show = (): void => {
    const seconds = Math.round((now() - began) / 1000);
    const what =
      built === 0 && fetched > 0
        ? `${fetched} ${fetched === 1 ? "module" : "modules"} fetched`
        : `${built} of at most ${packages} packages`;
    const text = `Building ${name}: ${what}, ${seconds} s`;
    if (stream.isTTY) stream.write(`\r\u001b[K${text}`);
    else if (now() - shownAt >= everyMs) {
      shownAt = now();
      stream.write(`${text}\n`);
    }
  };
  return {
    hear(line) {
      if (/^go: downloading /.test(line)) fetched += 1;
      else if (/^[\w.-]+(\/[\w.@~-]+)*$/.test(line)) built += 1;
      else return false;
      show();
      return true;
    },
    end() {
      if (stream.isTTY) stream.write("\r\u001b[K");
    },
  };
}
