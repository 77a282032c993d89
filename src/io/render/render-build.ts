/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "5d92044e0238ee9266a3206fa9d28817ce188017d2c854bfecd0e04e64db65f3";
