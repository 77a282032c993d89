/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "3d6a305fab3ec002dc3281eb3664636a8a432b1e203f73532b54cc43b065edaa";
