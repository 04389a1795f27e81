# Mixed model of the scores that Anatomark exported, fitted by REML with lme4 and tested with lmerTest:
#
#   score ~ generator + (1 | prompt) + (1 | generator:prompt) + (1 | image)
#     + (1 | annotator) + (1 | annotator:generator) + (1 | annotator:prompt)
#
# Usage: Rscript FILE.R [FILE.csv]; without a name, the CSV file beside the script with the same name.
# D. Bates et al. (2015), Fitting linear mixed-effects models using lme4, Journal of Statistical Software 67(1).
# A. Kuznetsova et al. (2017), lmerTest package, Journal of Statistical Software 82(13).

suppressPackageStartupMessages(library(lmerTest))

named <- commandArgs(trailingOnly = TRUE)
own <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
path <- if (length(named)) named[1] else if (length(own)) sub("[.]R$", ".csv", own) else file.choose()
if (!file.exists(path)) stop("There is no file ", path, ". Export the layout Scores as CSV and name that file.")

read <- read.csv(path, check.names = FALSE, na.strings = "", colClasses = "character", encoding = "UTF-8")
# The tidy header has other names for the same columns.
tidy <- c(generator = "Model", annotator = "Annotator", prompt = "Prompt", image_id = "Image Id")
known <- names(read) %in% names(tidy)
names(read)[known] <- tidy[names(read)[known]]
absent <- setdiff(c("SCORE_COLUMN", tidy, "status"), names(read))
if (length(absent)) stop(path, " is not an export of Scores: it has no column ", absent[1], ".")
scores <- data.frame(
  score = as.numeric(read[["SCORE_COLUMN"]]),
  generator = factor(read[["Model"]]),
  annotator = factor(read[["Annotator"]]),
  prompt = factor(read[["Prompt"]]),
  image = factor(read[["Image Id"]])
)
# Drafts do not count, and an imported annotation of which nothing could be read has no score.
scores <- droplevels(scores[read[["status"]] == "submitted" & !is.na(scores$score), ])

# A component stays if it groups the annotations as no other component, the generator or the residual does:
# with one annotation of every image, image and residual are the same.
alike <- function(a, b) nlevels(a) == nlevels(b) && nlevels(interaction(a, b, drop = TRUE)) == nlevels(a)
crossed <- function(a, b) droplevels(interaction(scores[[a]], scores[[b]], drop = TRUE))
candidates <- list(
  "prompt" = scores$prompt,
  "generator:prompt" = crossed("generator", "prompt"),
  "image" = scores$image,
  "annotator" = scores$annotator,
  "annotator:generator" = crossed("annotator", "generator"),
  "annotator:prompt" = crossed("annotator", "prompt")
)
known <- list("generator" = scores$generator, "residual" = factor(seq_len(nrow(scores))))
random <- character()
for (name in names(candidates)) {
  codes <- candidates[[name]]
  twin <- names(known)[vapply(known, alike, logical(1), codes)]
  too_many <- name == "annotator:prompt" && nlevels(codes) > 500
  if (nlevels(codes) < 2 || too_many || length(twin)) {
    message("Not estimated: ", name, if (length(twin)) paste0(", the same as ", twin[1]))
  } else {
    random <- c(random, name)
    known[[name]] <- codes
  }
}
fixed <- if (nlevels(scores$generator) > 1) "generator" else "1"
terms <- c(fixed, if (length(random)) sprintf("(1 | %s)", random))
model <- lmer(as.formula(paste("score ~", paste(terms, collapse = " + "))), data = scores, REML = TRUE)

print(summary(model), correlation = FALSE)
components <- as.data.frame(VarCorr(model))
components$share <- components$vcov / sum(components$vcov)
cat("\nComponents of variance\n")
print(components[c("grp", "vcov", "sdcor", "share")], row.names = FALSE)
if (fixed == "generator") {
  cat("\nTest of the generators (Satterthwaite)\n")
  print(anova(model))
  cat("\nDifferences between generators\n")
  print(difflsmeans(model))
}
