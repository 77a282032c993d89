/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "ee39a4f5559bd23ddf47be90cdd7616577f623fba96df8d9ada0dd5026f55d3d";
