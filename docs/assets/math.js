// Renders the TeX that pymdownx.arithmatex leaves in scripts, which a search does not read.
const named = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
for (const script of document.querySelectorAll('script[type^="math/tex"]')) {
  const displayMode = script.type.includes("mode=display");
  const place = document.createElement(displayMode ? "div" : "span");
  const tex = script.textContent.trim().replace(/&(?:lt|gt|amp);/g, (name) => named[name]);
  script.after(place);
  katex.render(tex, place, { displayMode, throwOnError: true, strict: "error" });
}
