import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TokenBucket } from "../../src/timing/token-bucket.ts";

const takeMany = (bucket: TokenBucket, count: number, now: number): number =>
  Array.from({ length: count }, () => bucket.take(now)).filter(Boolean).length;

describe("TokenBucket", () => {
  it("allows a burst, then a rate", () => {
    const bucket = new TokenBucket({ burst: 5, perSecond: 10 }, 0);
    expect(takeMany(bucket, 8, 0)).toBe(5);
    expect(takeMany(bucket, 8, 99)).toBe(0);
    expect(takeMany(bucket, 8, 300)).toBe(3);
    expect(takeMany(bucket, 8, 1e6)).toBe(5);
  });

  it("counts what it turned away, once", () => {
    const bucket = new TokenBucket({ burst: 1, perSecond: 1 }, 0);
    takeMany(bucket, 4, 0);
    expect(bucket.drainRefused()).toBe(3);
    expect(bucket.drainRefused()).toBe(0);
  });

  it("loses nothing when the clock is set back", () => {
    const bucket = new TokenBucket({ burst: 3, perSecond: 1 }, 10_000);
    expect(takeMany(bucket, 1, 10_000)).toBe(1);
    expect(takeMany(bucket, 5, 0)).toBe(2);
  });

  it("never allows more than the burst and the rate over the whole time", () => {
    const waits = fc.array(fc.nat({ max: 500 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(
        waits,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 50 }),
        (gaps, burst, rate) => {
          const bucket = new TokenBucket({ burst: burst, perSecond: rate }, 0);
          let now = 0;
          const taken = gaps.filter((gap) => bucket.take((now += gap))).length;
          expect(taken).toBeLessThanOrEqual(burst + (now * rate) / 1000 + 1e-6);
          expect(taken + bucket.drainRefused()).toBe(gaps.length);
        },
      ),
    );
  });
});
