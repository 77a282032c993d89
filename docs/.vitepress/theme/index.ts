import type { Theme } from "vitepress";
// Without the theme's own font: the site looks like the reader's system, and is a third of the size.
import theme from "vitepress/theme-without-fonts";
import CodeFilter from "./CodeFilter.vue";
import "./style.css";

export default {
  extends: theme,
  enhanceApp({ app }) {
    app.component("CodeFilter", CodeFilter);
  },
} satisfies Theme;
