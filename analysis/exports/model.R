# Mixed model of the scores that Anatomark exported, fitted by REML with lme4 and tested with lmerTest:
#
#   score ~ generator + (1 | annotator) + (1 | prompt) + (1 | generator:prompt) + (1 | image)
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

# A component can be estimated if its factor repeats: with one annotation of every image, image and residual
# are the same.
levels_of <- c(
  "annotator" = nlevels(scores$annotator),
  "prompt" = nlevels(scores$prompt),
  "generator:prompt" = nlevels(interaction(scores$generator, scores$prompt, drop = TRUE)),
  "image" = nlevels(scores$image)
)
kept <- levels_of > 1 & levels_of < nrow(scores)
if (nlevels(scores$generator) < 2) kept["generator:prompt"] <- FALSE
if (any(!kept)) message("Not estimated: ", paste(names(levels_of)[!kept], collapse = ", "))
fixed <- if (nlevels(scores$generator) > 1) "generator" else "1"
terms <- c(fixed, sprintf("(1 | %s)", names(levels_of)[kept]))
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
