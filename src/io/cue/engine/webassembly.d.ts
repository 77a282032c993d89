/**
 * The part of WebAssembly that qvs uses. TypeScript declares it only in `dom`, which would allow
 * browser globals everywhere.
 */
declare namespace WebAssembly {
  type ModuleImports = Record<string, (...args: never[]) => number | undefined>;

  class Module {
    constructor(bytes: Uint8Array);
    private readonly brand: "Module";
    static imports(module: Module): { readonly module: string; readonly name: string }[];
  }

  class Instance {
    constructor(module: Module, imports: Record<string, ModuleImports>);
    readonly exports: Readonly<Record<string, unknown>>;
  }

  interface Memory {
    readonly buffer: ArrayBuffer;
  }

  function compile(bytes: Uint8Array): Promise<Module>;
}
