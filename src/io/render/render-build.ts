/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "3eecf45eff5acdd1f349669dcc376bbf4b9b84772576718d2d7b561680f0c3c7";
