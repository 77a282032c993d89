// Without the theme's own font: the site looks like the reader's system, and is a third of the size.
import theme from "vitepress/theme-without-fonts";
import "./style.css";

export default theme;
