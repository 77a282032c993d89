/** The fix for answers that GitHub's API never sends. */
export const checkApiUrl = "Check that GITHUB_API_URL is the address of GitHub's API";
