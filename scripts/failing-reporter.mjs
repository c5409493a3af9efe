/**
 * Says at once what fails: vitest waits until the end, which a soak that is stopped never reaches.
 */
export default class FailingReporter {
  /** @param {import("vitest/node").TestCase} test */
  onTestCaseResult(test) {
    for (const { message, diff } of test.result().errors ?? [])
      console.error(`\n✗ ${test.fullName}\n${message}\n${diff ?? ""}`);
  }
}
