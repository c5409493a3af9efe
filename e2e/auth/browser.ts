const MOST_HOPS = 20;

/** A browser as far as a login needs one: it keeps cookies and follows redirects, until one leads back to the client. */
export class Browser {
  readonly #cookies = new Map<string, string>();

  /** The parameters that the client gets back. */
  async visit(address: URL, redirectUrl: string): Promise<URLSearchParams> {
    let url = address;
    for (let hop = 0; hop < MOST_HOPS; hop += 1) {
      const response = await fetch(url, { redirect: "manual", headers: { cookie: this.#toHeader() } });
      const body = await response.text();
      this.#keep(response);
      const location = response.headers.get("location");
      if (location === null) throw new Error(`${url.href} leads nowhere: ${response.status} ${body}`);
      url = new URL(location, url);
      if (url.href.startsWith(redirectUrl)) return url.searchParams;
    }
    throw new Error("The redirects never end");
  }

  #keep(response: Response): void {
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }

  #toHeader(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }
}
