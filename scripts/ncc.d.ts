declare module "@vercel/ncc" {
  interface Asset {
    readonly source: string | Buffer;
  }
  interface Packaged {
    readonly code: string;
    readonly assets: Readonly<Record<string, Asset>>;
  }
  interface Options {
    readonly cache: boolean;
    readonly esm: boolean;
    readonly license: string;
    readonly minify: boolean;
    readonly quiet: boolean;
  }
  const ncc: (input: string, options: Partial<Options>) => Promise<Packaged>;
  export = ncc;
}
