import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  repository: { url: string };
};
const site = repository.url.replace(/^git\+|\.git$/g, "");

/** Folders whose Markdown is for those who work in them. */
const NO_PAGES = ["e2e", ".github", ".changeset", "packages/create-server/project"];
const isPage = (file: string): boolean =>
  file.endsWith(".md") && !NO_PAGES.some((folder) => file.startsWith(`${folder}/`));

const toAddress = (file: string): string =>
  `/${file.replace(/(^|\/)README\.md$/, "$1").replace(/\.md$/, "")}`;
/** Files that are no pages are shown by the repository. */
function toLink(file: string): string {
  if (isPage(file)) return toAddress(file);
  return `${site}/${statSync(join(root, file)).isDirectory() ? "tree" : "blob"}/main/${file}`;
}

/** The pages, as the index lists them: a page that is in no list is still found by links and by searching. */
const SECTIONS = /^## (.+)\n([\s\S]*?)(?=^## |$(?![\s\S]))/gm;
const LINK = /\[([^\]]+)\]\(([^)]+\.md)\)/g;
const index = readFileSync(join(root, "docs/README.md"), "utf8");
const sidebar = Array.from(index.matchAll(SECTIONS), ([, text = "", body = ""]) => ({
  text,
  items: Array.from(body.matchAll(LINK), ([, name = "", target = ""]) => ({
    text: name[0]?.toUpperCase() + name.slice(1),
    link: toAddress(relative(root, join(root, "docs", target))),
  })),
}));

export default defineConfig({
  title: "The suite",
  description: "Model Context Protocol servers, and what they are built with",
  srcDir: "..",
  cacheDir: "../node_modules/.cache/vitepress",
  srcExclude: ["**/{node_modules,dist,skills}/**", ...NO_PAGES.map((folder) => `${folder}/**`)],
  rewrites: { "README.md": "index.md", ":folder(.*)/README.md": ":folder/index.md" },
  markdown: {
    // What people write about code contains braces, which are not for Vue.
    attrs: { disable: true },
    config(md) {
      const render = md.renderer.rules["link_open"];
      md.renderer.rules["link_open"] = (tokens, at, options, env: { path: string }, self) => {
        const token = tokens[at];
        const href = token?.attrGet("href") ?? "";
        const [path = "", hash] = href.split("#");
        const file = join(dirname(env.path), decodeURI(path));
        if (token && path !== "" && !/^[a-z]+:/.test(href) && existsSync(file)) {
          token.attrSet("href", `${toLink(relative(root, file))}${hash ? `#${hash}` : ""}`);
        }
        return render?.(tokens, at, options, env, self) ?? self.renderToken(tokens, at, options);
      };
    },
  },
  themeConfig: { search: { provider: "local" }, sidebar, outline: [2, 3], externalLinkIcon: true },
});
