/**
 * All GraphQL documents of this server, for what REST lacks. `followRenames: false`, because under a former name GitHub would
 * answer with a repository that was not admitted.
 */

export const REVIEW_THREADS = `query($owner: String!, $repo: String!, $number: Int!, $first: Int!, $after: String) {
  repository(owner: $owner, name: $repo, followRenames: false) {
    pullRequest(number: $number) {
      reviewThreads(first: $first, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          isResolved
          isOutdated
          path
          line
          originalLine
          comments(first: 100) {
            totalCount
            pageInfo { hasNextPage endCursor }
            nodes { databaseId author { login } authorAssociation createdAt body }
          }
        }
      }
    }
  }
}`;

/** More comments of a thread. */
export const THREAD_COMMENTS = `query($id: ID!, $after: String) {
  node(id: $id) {
    ... on PullRequestReviewThread {
      comments(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { databaseId author { login } authorAssociation createdAt body }
      }
    }
  }
}`;

/** The first comment of a thread, which a reply must name. */
export const THREAD_START = `query($id: ID!) {
  node(id: $id) {
    ... on PullRequestReviewThread {
      pullRequest { number }
      comments(first: 1) { nodes { databaseId } }
    }
  }
}`;

export const RESOLVE_THREAD = `mutation($id: ID!) {
  resolveReviewThread(input: { threadId: $id }) { thread { id isResolved } }
}`;

export const UNRESOLVE_THREAD = `mutation($id: ID!) {
  unresolveReviewThread(input: { threadId: $id }) { thread { id isResolved } }
}`;

/** Adds a comment to a pending review. */
export const ADD_REVIEW_THREAD = `mutation($id: ID!, $body: String!, $path: String!, $line: Int, $startLine: Int, $startSide: DiffSide, $side: DiffSide, $subjectType: PullRequestReviewThreadSubjectType) {
  addPullRequestReviewThread(input: { pullRequestReviewId: $id, body: $body, path: $path, line: $line, startLine: $startLine, startSide: $startSide, side: $side, subjectType: $subjectType }) {
    thread { id }
  }
}`;

export const TO_DRAFT = `mutation($id: ID!) {
  convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;

export const FROM_DRAFT = `mutation($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;

export const ENABLE_AUTO_MERGE = `mutation($id: ID!, $method: PullRequestMergeMethod, $title: String, $body: String, $head: GitObjectID) {
  enablePullRequestAutoMerge(input: { pullRequestId: $id, mergeMethod: $method, commitHeadline: $title, commitBody: $body, expectedHeadOid: $head }) {
    pullRequest { number }
  }
}`;

export const DISABLE_AUTO_MERGE = `mutation($id: ID!) {
  disablePullRequestAutoMerge(input: { pullRequestId: $id }) { pullRequest { number } }
}`;

export const DISCUSSION_CATEGORIES = `query($owner: String!, $repo: String!) {
  repository(owner: $owner, name: $repo, followRenames: false) {
    discussionCategories(first: 100) { nodes { id name description isAnswerable } }
  }
}`;

export const DISCUSSIONS = `query($owner: String!, $repo: String!, $first: Int!, $after: String, $category: ID, $answered: Boolean, $states: [DiscussionState!], $field: DiscussionOrderField!) {
  repository(owner: $owner, name: $repo, followRenames: false) {
    discussions(first: $first, after: $after, categoryId: $category, answered: $answered, states: $states, orderBy: { field: $field, direction: DESC }) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        number title isAnswered closed createdAt updatedAt url
        author { login }
        authorAssociation
        category { name }
        comments { totalCount }
      }
    }
  }
}`;

export const DISCUSSION = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo, followRenames: false) {
    discussion(number: $number) {
      id number title isAnswered closed createdAt updatedAt upvoteCount body url
      author { login }
      authorAssociation
      category { name isAnswerable }
      answer { id }
      comments { totalCount }
    }
  }
}`;

/** With replies, which have no replies of their own. */
export const DISCUSSION_COMMENTS = `query($owner: String!, $repo: String!, $number: Int!, $first: Int!, $after: String) {
  repository(owner: $owner, name: $repo, followRenames: false) {
    discussion(number: $number) {
      comments(first: $first, after: $after) {
        totalCount
        pageInfo { hasNextPage endCursor }
        nodes {
          id createdAt isAnswer upvoteCount body
          author { login }
          authorAssociation
          replies(first: 100) {
            totalCount
            nodes { id createdAt body author { login } authorAssociation }
          }
        }
      }
    }
  }
}`;

/** A comment that is replied to, changed or deleted, and where it is. */
export const DISCUSSION_COMMENT = `query($id: ID!) {
  node(id: $id) {
    ... on DiscussionComment {
      body
      author { login }
      authorAssociation
      replyTo { id }
      discussion { id number }
    }
  }
}`;

export const ADD_DISCUSSION_COMMENT = `mutation($id: ID!, $body: String!, $replyToId: ID) {
  addDiscussionComment(input: { discussionId: $id, body: $body, replyToId: $replyToId }) { comment { id url } }
}`;

export const UPDATE_DISCUSSION_COMMENT = `mutation($id: ID!, $body: String!) {
  updateDiscussionComment(input: { commentId: $id, body: $body }) { comment { id url } }
}`;

export const DELETE_DISCUSSION_COMMENT = `mutation($id: ID!) {
  deleteDiscussionComment(input: { id: $id }) { comment { id } }
}`;

export const MARK_ANSWER = `mutation($id: ID!) {
  markDiscussionCommentAsAnswer(input: { id: $id }) { discussion { url } }
}`;

export const UNMARK_ANSWER = `mutation($id: ID!) {
  unmarkDiscussionCommentAsAnswer(input: { id: $id }) { discussion { url } }
}`;

/** Who changed which lines last. The pull requests' titles are left out: strangers write them. */
export const BLAME = `query($owner: String!, $repo: String!, $expression: String!, $path: String!) {
  repository(owner: $owner, name: $repo, followRenames: false) {
    object(expression: $expression) {
      ...blamed
      ... on Tag { target { ...blamed } }
    }
  }
}
fragment blamed on Commit {
  oid
  blame(path: $path) {
    ranges {
      startingLine
      endingLine
      commit {
        oid
        messageHeadline
        committedDate
        author { name user { login } }
        associatedPullRequests(first: 1) { nodes { number } }
      }
    }
  }
}`;

/** The repository of a node, for all kinds of nodes that our documents take. */
export const RESOLVE_NODE = `query($owner: String!, $repo: String!, $resolve: ID!) {
  repository(owner: $owner, name: $repo, followRenames: false) { nameWithOwner }
  node(id: $resolve) {
    ... on PullRequestReviewThread { pullRequest { repository { nameWithOwner } } }
    ... on PullRequestReview { pullRequest { repository { nameWithOwner } } }
    ... on PullRequest { repository { nameWithOwner } }
    ... on Discussion { repository { nameWithOwner } }
    ... on DiscussionComment { discussion { repository { nameWithOwner } } }
  }
}`;
