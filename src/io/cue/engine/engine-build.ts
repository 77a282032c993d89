/** The digest of the sources of the CUE engine. A native engine of other sources isn't used. */
export const engineSources = "6326099d0b35624d26fb8f7093c99ef65c33084211f66e7792aeb3004ace1fd5";
