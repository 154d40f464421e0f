// What the theme leaves unnamed or out of reach of the keyboard, part of which its own script brings.
const mend = () => {
  document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search of these pages");
  document.querySelectorAll(".md-typeset__scrollwrap").forEach(each => { each.tabIndex = 0; });
  document.querySelectorAll("th:empty").forEach(each => {
    if (!each.hasAttribute("aria-hidden")) each.setAttribute("role", "presentation");
  });
  // lists within a navigation, and the button of a code block, are no places of their own
  document.querySelectorAll("nav.md-nav nav.md-nav, nav.md-code__nav, nav.md-search__options").forEach(each => {
    if (each.getAttribute("role") === "none") return;
    ["aria-label", "aria-labelledby", "aria-expanded"].forEach(name => each.removeAttribute(name));
    each.setAttribute("role", "none");
  });
};
new MutationObserver(mend).observe(document.body, {childList: true, subtree: true});
mend();
