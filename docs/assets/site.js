// What scrolls can be reached by keyboard, and a search for an option ("--set") finds the word.

const SCROLLING = ".md-typeset pre > code, .md-typeset__scrollwrap, .md-typeset table.dataframe, .md-typeset p:has(> img:only-child)";

function reachable() {
  for (const each of document.querySelectorAll(SCROLLING)) {
    if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
    else each.removeAttribute("tabindex");
  }
}

addEventListener("load", reachable);
addEventListener("resize", reachable);
// Tables get their frames, and hidden parts their sizes, later.
new MutationObserver(reachable).observe(document.body, { childList: true, subtree: true });

// Words with a dash in front would be left out of what is found.
for (const kind of ["input", "keyup"]) {
  document.addEventListener(kind, ({ target }) => {
    if (target.matches?.(".md-search__input")) target.value = target.value.replace(/(^|\s)-+(?=\w)/g, "$1");
  }, { capture: true });
}
