/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "3025fdfda48a4786cb56dea9efde525f472b23d441f091702c643f45bbe33422";
