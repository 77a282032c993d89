export async function compareDeploying(_: number): Promise<never> { throw new Error("x"); }
