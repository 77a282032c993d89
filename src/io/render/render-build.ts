/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "ac8edb70e000b6438271259a0ae27023c364ae94cb9194572959c407c5a687c0";
