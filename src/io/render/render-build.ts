/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "527b5349e72eae9a2a33abb6308e288b23260d968b538b77516b7119ed7ad7d5";
