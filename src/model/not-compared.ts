/**
 * Stands for a value that a preview doesn't look at, such as one of a Secret outside this
 * deployment. No value in `data` of a Secret, which is Base64, reads like this.
 */
export const notCompared = "(not compared)";
