/**
 * Hostile names, values and messages, by the attacker's intention. Each one begins with `a` and
 * ends with `z`, so that a test can detect that it is shown.
 */
export const hostileTexts: readonly { readonly hope: string; readonly text: string }[] = [
  ...[
    // For the runner of a workflow.
    ["a workflow command on its own line", "a\n::error::gotcha\nz"],
    ["a workflow command after whitespace", "a\n \t\u00a0\u0085\u3000::stop-commands::x\nz"],
    ["a workflow command after a carriage return", "a\r::add-mask::e\rz"],
    [
      "a workflow command after the line ends of Unicode",
      "a\u2028::error::x\u2029::error::y\u0085::error::z",
    ],
    ["a workflow command after a form feed", "a\n\f\v::error::x\nz"],
    [
      "a workflow command at the wrap of a long line",
      `a ${"word ".repeat(60)}::error::x ${"::error::x ".repeat(40)}z`,
    ],
    ["a workflow command within a long word", `a${"::error::x".repeat(60)}z`],
    ["a workflow command in the old format", "a ##[error]x ##[add-matcher]y z"],
    ["the end of a group", "a\n::endgroup::\n##[endgroup]\nz"],
    ["properties of an annotation", "a,file=x,line=1::b%0A::error::%25z"],
    // For a terminal.
    ["colors", "a\x1b[31mred\x1b[0m\x1b[8mhidden\x1b[38;2;1;2;3mz"],
    ["moves of the cursor", "a\x1b[2J\x1b[1A\x1b[2K\x1b[1;1Hz"],
    ["a title", "a\x1b]0;title\x07z"],
    ["a link to another site", "a\x1b]8;;https://evil.example\x1b\\shop\x1b]8;;\x1b\\z"],
    ["the clipboard", "a\x1b]52;c;ZXZpbA==\x07z"],
    ["a private string", "a\x1bPq#0;2;0;0;0\x1b\\\x1b_x\x1b\\\x1b^y\x1b\\z"],
    ["control sequences of one character", "a\x9b31m\x9d0;title\x9c\x90x\x9c\x1bc\x1b7\x0e\x0fz"],
    ["overwritten characters", "a\b\b\b\x7fharmless\rok\x07\x00z"],
    ["an unfinished control sequence", "a\x1b[\x1b]\x1b\x9bz"],
    ["tabs and line ends", "a\tb\r\nc\n\n\n    d\n\tz"],
    // For human readers.
    ["the direction of writing", "a\u202egnp.exe\u202c\u2066x\u2069\u200f\u200e\u061cz"],
    ["invisible characters", "a\u200b\u2060\ufeff\u00ad\u180e\u034f\u200c\u200d\u2061\u2064z"],
    ["blank characters", "a\u3164\u115f\u1160\uffa0\u2800\u17b4\u17b5z"],
    ["deprecated formats", "a\u206a\u206f\ufff9x\ufffay\ufffb\u{1d173}\u{1bca0}z"],
    ["tags", "a\u{e0001}\u{e0041}\u{e007f}\u{e0141}\u{e0100}\u{e01ef}z"],
    ["variations", "a\ufe0e1\ufe0fb\ufe00c\u180bz"],
    ["unusual spaces", "a\u00a0\u2000\u2007\u202f\u205f\u1680z"],
    ["halves of characters", "a\ud83dx\ude00y\udbff z"],
    ["code points that are no characters", "a\uffff\ufdd0\u{1ffff}\u{10fffe}z"],
    ["private use", "a\ue000\uf8ff\u{f0000}\u{10fffd}z"],
    ["marks that cover other lines", `a${"\u0300\u0336\u20e3\u0489".repeat(40)}z`],
    ["a family too long for one line", `a${"👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿e\u0301".repeat(30)}z`],
    // For Markdown.
    [
      "structure at the start of a line",
      "a\n# one\n\n- two\n\n1. three\n\n> four\n\n---\n\n***\n\n===\n\n    five\n~~~\n```\nz",
    ],
    ["the end of a fence", "a\n```\n~~~~\n````\n`````\n# out\n<b>z"],
    ["the end of a code span", "a` `` ``` ```` **b** `z"],
    ["a table", "a | b | c |\n| --- | --- |\n| d | e | z"],
    [
      "HTML",
      'a<script>x</script><img src="https://evil.example/x.png"><a href="//e">b</a></details></summary></code></sub><!-- z',
    ],
    ["the end of a comment", "a --> --!> <!--> <?x?> <![CDATA[x]]> <!DOCTYPE x> z"],
    [
      "links and images",
      "a [b](https://evil.example) ![c](//evil.example/d.png) <https://evil.example> [e][f]\n\n[f]: https://evil.example z",
    ],
    [
      "automatic links",
      "a www.evil.example https://evil.example ftp://evil.example mailto:b@evil.example xmpp:c@evil.example d@evil.example z",
    ],
    ["links in capitals", "a WWW.evil.example HTTPS://evil.example wWw.evil.example z"],
    ["mentions", "a @octocat @acme/owners b@octocat z"],
    ["references", "a #1 GH-2 gh-3 acme/shop#4 octocat#5 acme/shop@0123456 z"],
    ["commits", "a 0123456789abcdef0123456789abcdef01234567 deadbee 1234567 c0ffee00z deadbeef z"],
    ["emojis", "a :white_check_mark: :x: :100: :+1: z"],
    ["footnotes and alerts", "a[^1] > [!NOTE]\n> b\n\n[^1]: c z"],
    ["mathematics", "a $x$ $$y$$ $`z`$ \\(b\\) \\[c\\] z"],
    ["entities", "a &lt;b&gt; &#60;i&#62; &nbsp; &ZeroWidthSpace; &#x202e; &amp;z"],
    ["emphasis and breaks", "a *b* _c_ **d** ~~e~~ f\\\ng  \nh z"],
    [
      "our own markers",
      "a\n<!-- qvs-action:comment v1 -->\n<!-- qvs-action:outcome -->\n<!-- /qvs-action:outcome -->\nz",
    ],
    ["our own markers in disguise", "a <!--qvs-action:outcome--> <!-- /qvs-action:outcome --> z"],
    [
      "a Mermaid image",
      'a"] --> b["c"]; click a "https://evil.example"; %%{init: {}}%% #quot; `d` z',
    ],
    // For the delimiters of other formats.
    ["delimiters of files of commands", "a\nghadelimiter_x\nEOF\nname<<EOF\nz"],
    ["names of properties", "a __proto__ constructor toString z"],
  ].map(([hope = "", text = ""]) => ({ hope, text })),
];

/** Scripts and signs that people use. They must stay unchanged. */
export const writings: readonly string[] = [
  "Grüße, naïve Façade — “quotes” … 100 % ✓",
  "日本語のテキスト、全角　空白",
  "한국어 텍스트",
  "العربية والعربية",
  "می‌خواهم",
  "हिन्दी क्‍ष श्र‌ी",
  "Tiếng Việt",
  "👩‍👩‍👧‍👦 👍🏽 ❤️ 🏳️‍🌈 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ ⚠️ 🇩🇪",
];
