/** A store that can be taken away, and put back with all it had. */
export class Removable<Store extends object> {
  isAway = false;
  readonly store: Store;

  constructor(store: Store, toError: () => Error) {
    this.store = new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown => {
          if (this.isAway) throw toError();
          return member.apply(target, args);
        };
      },
    });
  }
}
