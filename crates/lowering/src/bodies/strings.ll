; ModuleID = 'strings.c'
source_filename = "strings.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.option = type { i8*, i32, i32*, i32 }

; Function Attrs: nounwind
define weak dso_local i64 @strlen(i8* noundef %0) local_unnamed_addr #0 {
  br label %2

2:                                                ; preds = %2, %1
  %3 = phi i8* [ %0, %1 ], [ %6, %2 ]
  %4 = load i8, i8* %3, align 1, !tbaa !4
  %5 = icmp eq i8 %4, 0
  %6 = getelementptr inbounds i8, i8* %3, i64 1
  br i1 %5, label %7, label %2, !llvm.loop !7

7:                                                ; preds = %2
  %8 = ptrtoint i8* %3 to i64
  %9 = ptrtoint i8* %0 to i64
  %10 = sub i64 %8, %9
  ret i64 %10
}

; Function Attrs: nounwind
define weak dso_local i64 @strnlen(i8* noundef %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = icmp eq i64 %1, 0
  br i1 %3, label %15, label %4

4:                                                ; preds = %2
  %5 = getelementptr i8, i8* %0, i64 %1
  br label %6

6:                                                ; preds = %4, %12
  %7 = phi i64 [ %9, %12 ], [ %1, %4 ]
  %8 = phi i8* [ %13, %12 ], [ %0, %4 ]
  %9 = add i64 %7, -1
  %10 = load i8, i8* %8, align 1, !tbaa !4
  %11 = icmp eq i8 %10, 0
  br i1 %11, label %15, label %12

12:                                               ; preds = %6
  %13 = getelementptr inbounds i8, i8* %8, i64 1
  %14 = icmp eq i64 %9, 0
  br i1 %14, label %15, label %6, !llvm.loop !10

15:                                               ; preds = %6, %12, %2
  %16 = phi i8* [ %0, %2 ], [ %8, %6 ], [ %5, %12 ]
  %17 = ptrtoint i8* %16 to i64
  %18 = ptrtoint i8* %0 to i64
  %19 = sub i64 %17, %18
  ret i64 %19
}

; Function Attrs: nounwind
define weak dso_local i8* @stpcpy(i8* noundef %0, i8* noundef %1) local_unnamed_addr #0 {
  %3 = load i8, i8* %1, align 1, !tbaa !4
  store i8 %3, i8* %0, align 1, !tbaa !4
  %4 = icmp eq i8 %3, 0
  br i1 %4, label %12, label %5

5:                                                ; preds = %2, %5
  %6 = phi i8* [ %9, %5 ], [ %1, %2 ]
  %7 = phi i8* [ %8, %5 ], [ %0, %2 ]
  %8 = getelementptr inbounds i8, i8* %7, i64 1
  %9 = getelementptr inbounds i8, i8* %6, i64 1
  %10 = load i8, i8* %9, align 1, !tbaa !4
  store i8 %10, i8* %8, align 1, !tbaa !4
  %11 = icmp eq i8 %10, 0
  br i1 %11, label %12, label %5, !llvm.loop !11

12:                                               ; preds = %5, %2
  %13 = phi i8* [ %0, %2 ], [ %8, %5 ]
  ret i8* %13
}

; Function Attrs: nounwind
define weak dso_local i8* @strcpy(i8* noundef %0, i8* noundef %1) local_unnamed_addr #0 {
  %3 = load i8, i8* %1, align 1, !tbaa !4
  store i8 %3, i8* %0, align 1, !tbaa !4
  %4 = icmp eq i8 %3, 0
  br i1 %4, label %12, label %5

5:                                                ; preds = %2, %5
  %6 = phi i8* [ %8, %5 ], [ %0, %2 ]
  %7 = phi i8* [ %9, %5 ], [ %1, %2 ]
  %8 = getelementptr inbounds i8, i8* %6, i64 1
  %9 = getelementptr inbounds i8, i8* %7, i64 1
  %10 = load i8, i8* %9, align 1, !tbaa !4
  store i8 %10, i8* %8, align 1, !tbaa !4
  %11 = icmp eq i8 %10, 0
  br i1 %11, label %12, label %5, !llvm.loop !12

12:                                               ; preds = %5, %2
  ret i8* %0
}

; Function Attrs: nounwind
define weak dso_local i8* @strncpy(i8* noundef %0, i8* noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = icmp eq i64 %2, 0
  br i1 %4, label %16, label %5

5:                                                ; preds = %3, %11
  %6 = phi i8* [ %13, %11 ], [ %0, %3 ]
  %7 = phi i64 [ %14, %11 ], [ %2, %3 ]
  %8 = phi i8* [ %12, %11 ], [ %1, %3 ]
  %9 = load i8, i8* %8, align 1, !tbaa !4
  %10 = icmp eq i8 %9, 0
  br i1 %10, label %16, label %11

11:                                               ; preds = %5
  %12 = getelementptr inbounds i8, i8* %8, i64 1
  %13 = getelementptr inbounds i8, i8* %6, i64 1
  store i8 %9, i8* %6, align 1, !tbaa !4
  %14 = add i64 %7, -1
  %15 = icmp eq i64 %14, 0
  br i1 %15, label %16, label %5, !llvm.loop !13

16:                                               ; preds = %5, %11, %3
  %17 = phi i64 [ %2, %3 ], [ %7, %5 ], [ 0, %11 ]
  %18 = phi i8* [ %0, %3 ], [ %6, %5 ], [ %13, %11 ]
  %19 = icmp eq i64 %17, 0
  br i1 %19, label %26, label %20

20:                                               ; preds = %16, %20
  %21 = phi i8* [ %23, %20 ], [ %18, %16 ]
  %22 = phi i64 [ %24, %20 ], [ %17, %16 ]
  %23 = getelementptr inbounds i8, i8* %21, i64 1
  store i8 0, i8* %21, align 1, !tbaa !4
  %24 = add i64 %22, -1
  %25 = icmp eq i64 %24, 0
  br i1 %25, label %26, label %20, !llvm.loop !14

26:                                               ; preds = %20, %16
  ret i8* %0
}

; Function Attrs: nounwind
define weak dso_local i8* @strcat(i8* noundef %0, i8* noundef %1) local_unnamed_addr #0 {
  br label %3

3:                                                ; preds = %3, %2
  %4 = phi i8* [ %0, %2 ], [ %7, %3 ]
  %5 = load i8, i8* %4, align 1, !tbaa !4
  %6 = icmp eq i8 %5, 0
  %7 = getelementptr inbounds i8, i8* %4, i64 1
  br i1 %6, label %8, label %3, !llvm.loop !15

8:                                                ; preds = %3
  %9 = load i8, i8* %1, align 1, !tbaa !4
  store i8 %9, i8* %4, align 1, !tbaa !4
  %10 = icmp eq i8 %9, 0
  br i1 %10, label %18, label %11

11:                                               ; preds = %8, %11
  %12 = phi i8* [ %14, %11 ], [ %4, %8 ]
  %13 = phi i8* [ %15, %11 ], [ %1, %8 ]
  %14 = getelementptr inbounds i8, i8* %12, i64 1
  %15 = getelementptr inbounds i8, i8* %13, i64 1
  %16 = load i8, i8* %15, align 1, !tbaa !4
  store i8 %16, i8* %14, align 1, !tbaa !4
  %17 = icmp eq i8 %16, 0
  br i1 %17, label %18, label %11, !llvm.loop !16

18:                                               ; preds = %11, %8
  ret i8* %0
}

; Function Attrs: nounwind
define weak dso_local i8* @strncat(i8* noundef %0, i8* noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  br label %4

4:                                                ; preds = %4, %3
  %5 = phi i8* [ %0, %3 ], [ %8, %4 ]
  %6 = load i8, i8* %5, align 1, !tbaa !4
  %7 = icmp eq i8 %6, 0
  %8 = getelementptr inbounds i8, i8* %5, i64 1
  br i1 %7, label %9, label %4, !llvm.loop !17

9:                                                ; preds = %4
  %10 = icmp eq i64 %2, 0
  br i1 %10, label %22, label %11

11:                                               ; preds = %9, %17
  %12 = phi i8* [ %19, %17 ], [ %5, %9 ]
  %13 = phi i64 [ %20, %17 ], [ %2, %9 ]
  %14 = phi i8* [ %18, %17 ], [ %1, %9 ]
  %15 = load i8, i8* %14, align 1, !tbaa !4
  %16 = icmp eq i8 %15, 0
  br i1 %16, label %22, label %17

17:                                               ; preds = %11
  %18 = getelementptr inbounds i8, i8* %14, i64 1
  %19 = getelementptr inbounds i8, i8* %12, i64 1
  store i8 %15, i8* %12, align 1, !tbaa !4
  %20 = add i64 %13, -1
  %21 = icmp eq i64 %20, 0
  br i1 %21, label %22, label %11, !llvm.loop !18

22:                                               ; preds = %11, %17, %9
  %23 = phi i8* [ %5, %9 ], [ %12, %11 ], [ %19, %17 ]
  store i8 0, i8* %23, align 1, !tbaa !4
  ret i8* %0
}

; Function Attrs: nounwind
define weak dso_local i32 @strcmp(i8* noundef %0, i8* noundef %1) local_unnamed_addr #0 {
  %3 = load i8, i8* %0, align 1, !tbaa !4
  %4 = load i8, i8* %1, align 1, !tbaa !4
  %5 = icmp eq i8 %3, %4
  %6 = icmp ult i8 %3, %4
  %7 = select i1 %6, i32 -1, i32 1
  %8 = icmp ne i8 %3, 0
  %9 = select i1 %5, i32 0, i32 %7
  %10 = and i1 %8, %5
  br i1 %10, label %11, label %27

11:                                               ; preds = %2, %11
  %12 = phi i32 [ %24, %11 ], [ %9, %2 ]
  %13 = phi i8* [ %15, %11 ], [ %0, %2 ]
  %14 = phi i8* [ %16, %11 ], [ %1, %2 ]
  %15 = getelementptr inbounds i8, i8* %13, i64 1
  %16 = getelementptr inbounds i8, i8* %14, i64 1
  %17 = load i8, i8* %15, align 1, !tbaa !4
  %18 = load i8, i8* %16, align 1, !tbaa !4
  %19 = icmp eq i8 %17, %18
  %20 = icmp ult i8 %17, %18
  %21 = select i1 %20, i32 -1, i32 1
  %22 = icmp eq i8 %17, 0
  %23 = select i1 %22, i32 0, i32 %12
  %24 = select i1 %19, i32 %23, i32 %21
  %25 = xor i1 %22, true
  %26 = and i1 %19, %25
  br i1 %26, label %11, label %27, !llvm.loop !19

27:                                               ; preds = %11, %2
  %28 = phi i32 [ %9, %2 ], [ %24, %11 ]
  ret i32 %28
}

; Function Attrs: nounwind
define weak dso_local i32 @strncmp(i8* noundef %0, i8* noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = icmp eq i64 %2, 0
  br i1 %4, label %25, label %5

5:                                                ; preds = %3, %20
  %6 = phi i32 [ %17, %20 ], [ undef, %3 ]
  %7 = phi i8* [ %22, %20 ], [ %0, %3 ]
  %8 = phi i64 [ %21, %20 ], [ %2, %3 ]
  %9 = phi i8* [ %23, %20 ], [ %1, %3 ]
  %10 = load i8, i8* %7, align 1, !tbaa !4
  %11 = load i8, i8* %9, align 1, !tbaa !4
  %12 = icmp eq i8 %10, %11
  %13 = icmp ult i8 %10, %11
  %14 = select i1 %13, i32 -1, i32 1
  %15 = icmp eq i8 %10, 0
  %16 = select i1 %15, i32 0, i32 %6
  %17 = select i1 %12, i32 %16, i32 %14
  %18 = xor i1 %15, true
  %19 = and i1 %12, %18
  br i1 %19, label %20, label %25

20:                                               ; preds = %5
  %21 = add i64 %8, -1
  %22 = getelementptr inbounds i8, i8* %7, i64 1
  %23 = getelementptr inbounds i8, i8* %9, i64 1
  %24 = icmp eq i64 %21, 0
  br i1 %24, label %25, label %5, !llvm.loop !20

25:                                               ; preds = %5, %20, %3
  %26 = phi i32 [ 0, %3 ], [ %17, %5 ], [ 0, %20 ]
  ret i32 %26
}

; Function Attrs: nounwind
define weak dso_local i32 @strcasecmp(i8* noundef %0, i8* noundef %1) local_unnamed_addr #0 {
  br label %3

3:                                                ; preds = %27, %2
  %4 = phi i8* [ %1, %2 ], [ %29, %27 ]
  %5 = phi i8* [ %0, %2 ], [ %28, %27 ]
  %6 = phi i32 [ undef, %2 ], [ %24, %27 ]
  %7 = load i8, i8* %5, align 1, !tbaa !4
  %8 = zext i8 %7 to i32
  %9 = add nsw i32 %8, -65
  %10 = icmp ult i32 %9, 26
  %11 = add nuw nsw i32 %8, 32
  %12 = select i1 %10, i32 %11, i32 %8
  %13 = load i8, i8* %4, align 1, !tbaa !4
  %14 = zext i8 %13 to i32
  %15 = add nsw i32 %14, -65
  %16 = icmp ult i32 %15, 26
  %17 = add nuw nsw i32 %14, 32
  %18 = select i1 %16, i32 %17, i32 %14
  %19 = icmp eq i32 %12, %18
  %20 = icmp ult i32 %12, %18
  %21 = select i1 %20, i32 -1, i32 1
  %22 = icmp eq i32 %12, 0
  %23 = select i1 %22, i32 0, i32 %6
  %24 = select i1 %19, i32 %23, i32 %21
  %25 = xor i1 %22, true
  %26 = and i1 %19, %25
  br i1 %26, label %27, label %30

27:                                               ; preds = %3
  %28 = getelementptr inbounds i8, i8* %5, i64 1
  %29 = getelementptr inbounds i8, i8* %4, i64 1
  br label %3, !llvm.loop !21

30:                                               ; preds = %3
  ret i32 %24
}

; Function Attrs: nounwind
define weak dso_local i32 @strncasecmp(i8* noundef %0, i8* noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = icmp eq i64 %2, 0
  br i1 %4, label %35, label %5

5:                                                ; preds = %3, %30
  %6 = phi i32 [ %27, %30 ], [ undef, %3 ]
  %7 = phi i8* [ %32, %30 ], [ %0, %3 ]
  %8 = phi i64 [ %31, %30 ], [ %2, %3 ]
  %9 = phi i8* [ %33, %30 ], [ %1, %3 ]
  %10 = load i8, i8* %7, align 1, !tbaa !4
  %11 = zext i8 %10 to i32
  %12 = add nsw i32 %11, -65
  %13 = icmp ult i32 %12, 26
  %14 = add nuw nsw i32 %11, 32
  %15 = select i1 %13, i32 %14, i32 %11
  %16 = load i8, i8* %9, align 1, !tbaa !4
  %17 = zext i8 %16 to i32
  %18 = add nsw i32 %17, -65
  %19 = icmp ult i32 %18, 26
  %20 = add nuw nsw i32 %17, 32
  %21 = select i1 %19, i32 %20, i32 %17
  %22 = icmp eq i32 %15, %21
  %23 = icmp ult i32 %15, %21
  %24 = select i1 %23, i32 -1, i32 1
  %25 = icmp eq i32 %15, 0
  %26 = select i1 %25, i32 0, i32 %6
  %27 = select i1 %22, i32 %26, i32 %24
  %28 = xor i1 %25, true
  %29 = and i1 %22, %28
  br i1 %29, label %30, label %35

30:                                               ; preds = %5
  %31 = add i64 %8, -1
  %32 = getelementptr inbounds i8, i8* %7, i64 1
  %33 = getelementptr inbounds i8, i8* %9, i64 1
  %34 = icmp eq i64 %31, 0
  br i1 %34, label %35, label %5, !llvm.loop !22

35:                                               ; preds = %5, %30, %3
  %36 = phi i32 [ 0, %3 ], [ %27, %5 ], [ 0, %30 ]
  ret i32 %36
}

; Function Attrs: nounwind
define weak dso_local i8* @strchrnul(i8* noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = load i8, i8* %0, align 1, !tbaa !4
  %4 = icmp eq i8 %3, 0
  br i1 %4, label %17, label %5

5:                                                ; preds = %2
  %6 = shl i32 %1, 24
  %7 = ashr exact i32 %6, 24
  br label %8

8:                                                ; preds = %5, %13
  %9 = phi i8 [ %3, %5 ], [ %15, %13 ]
  %10 = phi i8* [ %0, %5 ], [ %14, %13 ]
  %11 = sext i8 %9 to i32
  %12 = icmp eq i32 %7, %11
  br i1 %12, label %17, label %13

13:                                               ; preds = %8
  %14 = getelementptr inbounds i8, i8* %10, i64 1
  %15 = load i8, i8* %14, align 1, !tbaa !4
  %16 = icmp eq i8 %15, 0
  br i1 %16, label %17, label %8, !llvm.loop !23

17:                                               ; preds = %8, %13, %2
  %18 = phi i8* [ %0, %2 ], [ %10, %8 ], [ %14, %13 ]
  ret i8* %18
}

; Function Attrs: nounwind
define weak dso_local i8* @strchr(i8* noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = shl i32 %1, 24
  %4 = ashr exact i32 %3, 24
  %5 = load i8, i8* %0, align 1, !tbaa !4
  %6 = sext i8 %5 to i32
  %7 = icmp eq i32 %4, %6
  br i1 %7, label %17, label %8

8:                                                ; preds = %2, %12
  %9 = phi i8 [ %14, %12 ], [ %5, %2 ]
  %10 = phi i8* [ %13, %12 ], [ %0, %2 ]
  %11 = icmp eq i8 %9, 0
  br i1 %11, label %17, label %12

12:                                               ; preds = %8
  %13 = getelementptr inbounds i8, i8* %10, i64 1
  %14 = load i8, i8* %13, align 1, !tbaa !4
  %15 = sext i8 %14 to i32
  %16 = icmp eq i32 %4, %15
  br i1 %16, label %17, label %8, !llvm.loop !24

17:                                               ; preds = %12, %8, %2
  %18 = phi i8* [ %0, %2 ], [ %13, %12 ], [ null, %8 ]
  ret i8* %18
}

; Function Attrs: nounwind
define weak dso_local i8* @index(i8* noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = shl i32 %1, 24
  %4 = ashr exact i32 %3, 24
  %5 = load i8, i8* %0, align 1, !tbaa !4
  %6 = sext i8 %5 to i32
  %7 = icmp eq i32 %4, %6
  br i1 %7, label %17, label %8

8:                                                ; preds = %2, %12
  %9 = phi i8 [ %14, %12 ], [ %5, %2 ]
  %10 = phi i8* [ %13, %12 ], [ %0, %2 ]
  %11 = icmp eq i8 %9, 0
  br i1 %11, label %17, label %12

12:                                               ; preds = %8
  %13 = getelementptr inbounds i8, i8* %10, i64 1
  %14 = load i8, i8* %13, align 1, !tbaa !4
  %15 = sext i8 %14 to i32
  %16 = icmp eq i32 %4, %15
  br i1 %16, label %17, label %8, !llvm.loop !25

17:                                               ; preds = %12, %8, %2
  %18 = phi i8* [ %0, %2 ], [ %13, %12 ], [ null, %8 ]
  ret i8* %18
}

; Function Attrs: nounwind
define weak dso_local i8* @strrchr(i8* noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = shl i32 %1, 24
  %4 = ashr exact i32 %3, 24
  br label %5

5:                                                ; preds = %5, %2
  %6 = phi i8* [ %0, %2 ], [ %13, %5 ]
  %7 = phi i8* [ null, %2 ], [ %11, %5 ]
  %8 = load i8, i8* %6, align 1, !tbaa !4
  %9 = sext i8 %8 to i32
  %10 = icmp eq i32 %4, %9
  %11 = select i1 %10, i8* %6, i8* %7
  %12 = icmp eq i8 %8, 0
  %13 = getelementptr inbounds i8, i8* %6, i64 1
  br i1 %12, label %14, label %5, !llvm.loop !26

14:                                               ; preds = %5
  ret i8* %11
}

; Function Attrs: nounwind
define weak dso_local i8* @rindex(i8* noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = shl i32 %1, 24
  %4 = ashr exact i32 %3, 24
  br label %5

5:                                                ; preds = %5, %2
  %6 = phi i8* [ %0, %2 ], [ %13, %5 ]
  %7 = phi i8* [ null, %2 ], [ %11, %5 ]
  %8 = load i8, i8* %6, align 1, !tbaa !4
  %9 = sext i8 %8 to i32
  %10 = icmp eq i32 %4, %9
  %11 = select i1 %10, i8* %6, i8* %7
  %12 = icmp eq i8 %8, 0
  %13 = getelementptr inbounds i8, i8* %6, i64 1
  br i1 %12, label %14, label %5, !llvm.loop !27

14:                                               ; preds = %5
  ret i8* %11
}

; Function Attrs: nounwind
define weak dso_local i8* @strstr(i8* noundef %0, i8* noundef %1) local_unnamed_addr #0 {
  %3 = load i8, i8* %1, align 1, !tbaa !4
  %4 = icmp eq i8 %3, 0
  br label %5

5:                                                ; preds = %27, %2
  %6 = phi i8* [ %0, %2 ], [ %30, %27 ]
  %7 = phi i8* [ undef, %2 ], [ %28, %27 ]
  br i1 %4, label %27, label %8

8:                                                ; preds = %5
  %9 = load i8, i8* %6, align 1, !tbaa !4
  %10 = icmp eq i8 %9, %3
  br i1 %10, label %14, label %21

11:                                               ; preds = %14
  %12 = load i8, i8* %17, align 1, !tbaa !4
  %13 = icmp eq i8 %12, %19
  br i1 %13, label %14, label %21, !llvm.loop !28

14:                                               ; preds = %8, %11
  %15 = phi i8* [ %17, %11 ], [ %6, %8 ]
  %16 = phi i8* [ %18, %11 ], [ %1, %8 ]
  %17 = getelementptr inbounds i8, i8* %15, i64 1
  %18 = getelementptr inbounds i8, i8* %16, i64 1
  %19 = load i8, i8* %18, align 1, !tbaa !4
  %20 = icmp eq i8 %19, 0
  br i1 %20, label %27, label %11, !llvm.loop !28

21:                                               ; preds = %11, %8
  %22 = phi i1 [ %4, %8 ], [ %20, %11 ]
  br i1 %22, label %27, label %23

23:                                               ; preds = %21
  %24 = load i8, i8* %6, align 1, !tbaa !4
  %25 = icmp eq i8 %24, 0
  %26 = select i1 %25, i8* null, i8* %7
  br label %27

27:                                               ; preds = %14, %5, %23, %21
  %28 = phi i8* [ %6, %21 ], [ %26, %23 ], [ %6, %5 ], [ %6, %14 ]
  %29 = phi i1 [ true, %21 ], [ %25, %23 ], [ true, %5 ], [ true, %14 ]
  %30 = getelementptr inbounds i8, i8* %6, i64 1
  br i1 %29, label %31, label %5, !llvm.loop !29

31:                                               ; preds = %27
  ret i8* %28
}

; Function Attrs: nounwind
define weak dso_local i64 @strspn(i8* noundef %0, i8* noundef %1) local_unnamed_addr #0 {
  %3 = load i8, i8* %0, align 1, !tbaa !4
  %4 = icmp eq i8 %3, 0
  br i1 %4, label %23, label %5

5:                                                ; preds = %2
  %6 = load i8, i8* %1, align 1, !tbaa !4
  %7 = icmp eq i8 %6, 0
  br label %8

8:                                                ; preds = %5, %19
  %9 = phi i8 [ %3, %5 ], [ %21, %19 ]
  %10 = phi i8* [ %0, %5 ], [ %20, %19 ]
  br i1 %7, label %23, label %14

11:                                               ; preds = %14
  %12 = load i8, i8* %18, align 1, !tbaa !4
  %13 = icmp eq i8 %12, 0
  br i1 %13, label %23, label %14, !llvm.loop !30

14:                                               ; preds = %8, %11
  %15 = phi i8 [ %12, %11 ], [ %6, %8 ]
  %16 = phi i8* [ %18, %11 ], [ %1, %8 ]
  %17 = icmp eq i8 %15, %9
  %18 = getelementptr inbounds i8, i8* %16, i64 1
  br i1 %17, label %19, label %11

19:                                               ; preds = %14
  %20 = getelementptr inbounds i8, i8* %10, i64 1
  %21 = load i8, i8* %20, align 1, !tbaa !4
  %22 = icmp eq i8 %21, 0
  br i1 %22, label %23, label %8, !llvm.loop !31

23:                                               ; preds = %19, %8, %11, %2
  %24 = phi i8* [ %0, %2 ], [ %10, %11 ], [ %0, %8 ], [ %20, %19 ]
  %25 = ptrtoint i8* %24 to i64
  %26 = ptrtoint i8* %0 to i64
  %27 = sub i64 %25, %26
  ret i64 %27
}

; Function Attrs: nounwind
define weak dso_local i64 @strcspn(i8* noundef %0, i8* noundef %1) local_unnamed_addr #0 {
  %3 = load i8, i8* %0, align 1, !tbaa !4
  %4 = icmp eq i8 %3, 0
  br i1 %4, label %23, label %5

5:                                                ; preds = %2
  %6 = load i8, i8* %1, align 1, !tbaa !4
  %7 = icmp eq i8 %6, 0
  br label %8

8:                                                ; preds = %5, %19
  %9 = phi i8 [ %3, %5 ], [ %21, %19 ]
  %10 = phi i8* [ %0, %5 ], [ %20, %19 ]
  br i1 %7, label %19, label %14

11:                                               ; preds = %14
  %12 = load i8, i8* %18, align 1, !tbaa !4
  %13 = icmp eq i8 %12, 0
  br i1 %13, label %19, label %14, !llvm.loop !30

14:                                               ; preds = %8, %11
  %15 = phi i8 [ %12, %11 ], [ %6, %8 ]
  %16 = phi i8* [ %18, %11 ], [ %1, %8 ]
  %17 = icmp eq i8 %15, %9
  %18 = getelementptr inbounds i8, i8* %16, i64 1
  br i1 %17, label %23, label %11

19:                                               ; preds = %11, %8
  %20 = getelementptr inbounds i8, i8* %10, i64 1
  %21 = load i8, i8* %20, align 1, !tbaa !4
  %22 = icmp eq i8 %21, 0
  br i1 %22, label %23, label %8, !llvm.loop !32

23:                                               ; preds = %19, %14, %2
  %24 = phi i8* [ %0, %2 ], [ %10, %14 ], [ %20, %19 ]
  %25 = ptrtoint i8* %24 to i64
  %26 = ptrtoint i8* %0 to i64
  %27 = sub i64 %25, %26
  ret i64 %27
}

; Function Attrs: nounwind
define weak dso_local i8* @strpbrk(i8* noundef %0, i8* noundef %1) local_unnamed_addr #0 {
  %3 = load i8, i8* %0, align 1, !tbaa !4
  %4 = icmp eq i8 %3, 0
  br i1 %4, label %23, label %5

5:                                                ; preds = %2
  %6 = load i8, i8* %1, align 1, !tbaa !4
  %7 = icmp eq i8 %6, 0
  br label %8

8:                                                ; preds = %5, %19
  %9 = phi i8 [ %3, %5 ], [ %21, %19 ]
  %10 = phi i8* [ %0, %5 ], [ %20, %19 ]
  br i1 %7, label %19, label %14

11:                                               ; preds = %14
  %12 = load i8, i8* %18, align 1, !tbaa !4
  %13 = icmp eq i8 %12, 0
  br i1 %13, label %19, label %14, !llvm.loop !30

14:                                               ; preds = %8, %11
  %15 = phi i8 [ %12, %11 ], [ %6, %8 ]
  %16 = phi i8* [ %18, %11 ], [ %1, %8 ]
  %17 = icmp eq i8 %15, %9
  %18 = getelementptr inbounds i8, i8* %16, i64 1
  br i1 %17, label %23, label %11

19:                                               ; preds = %11, %8
  %20 = getelementptr inbounds i8, i8* %10, i64 1
  %21 = load i8, i8* %20, align 1, !tbaa !4
  %22 = icmp eq i8 %21, 0
  br i1 %22, label %23, label %8, !llvm.loop !33

23:                                               ; preds = %19, %14, %2
  %24 = phi i8* [ null, %2 ], [ %10, %14 ], [ null, %19 ]
  ret i8* %24
}

; Function Attrs: nounwind
define weak dso_local i8* @strdup(i8* noundef %0) local_unnamed_addr #0 {
  br label %2

2:                                                ; preds = %2, %1
  %3 = phi i8* [ %0, %1 ], [ %6, %2 ]
  %4 = load i8, i8* %3, align 1, !tbaa !4
  %5 = icmp eq i8 %4, 0
  %6 = getelementptr inbounds i8, i8* %3, i64 1
  br i1 %5, label %7, label %2, !llvm.loop !34

7:                                                ; preds = %2
  %8 = ptrtoint i8* %3 to i64
  %9 = ptrtoint i8* %0 to i64
  %10 = sub i64 1, %9
  %11 = add i64 %10, %8
  %12 = call i8* @malloc(i64 noundef %11) #2
  %13 = icmp eq i8* %12, null
  br i1 %13, label %24, label %14

14:                                               ; preds = %7
  %15 = load i8, i8* %0, align 1, !tbaa !4
  store i8 %15, i8* %12, align 1, !tbaa !4
  %16 = icmp eq i8 %15, 0
  br i1 %16, label %24, label %17

17:                                               ; preds = %14, %17
  %18 = phi i8* [ %20, %17 ], [ %12, %14 ]
  %19 = phi i8* [ %21, %17 ], [ %0, %14 ]
  %20 = getelementptr inbounds i8, i8* %18, i64 1
  %21 = getelementptr inbounds i8, i8* %19, i64 1
  %22 = load i8, i8* %21, align 1, !tbaa !4
  store i8 %22, i8* %20, align 1, !tbaa !4
  %23 = icmp eq i8 %22, 0
  br i1 %23, label %24, label %17, !llvm.loop !35

24:                                               ; preds = %17, %14, %7
  %25 = phi i8* [ null, %7 ], [ %12, %14 ], [ %12, %17 ]
  ret i8* %25
}

declare i8* @malloc(i64 noundef) local_unnamed_addr #1

; Function Attrs: nounwind
define weak dso_local i8* @strndup(i8* noundef %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = icmp eq i64 %1, 0
  br i1 %3, label %15, label %4

4:                                                ; preds = %2
  %5 = getelementptr i8, i8* %0, i64 %1
  br label %6

6:                                                ; preds = %4, %12
  %7 = phi i64 [ %9, %12 ], [ %1, %4 ]
  %8 = phi i8* [ %13, %12 ], [ %0, %4 ]
  %9 = add i64 %7, -1
  %10 = load i8, i8* %8, align 1, !tbaa !4
  %11 = icmp eq i8 %10, 0
  br i1 %11, label %15, label %12

12:                                               ; preds = %6
  %13 = getelementptr inbounds i8, i8* %8, i64 1
  %14 = icmp eq i64 %9, 0
  br i1 %14, label %15, label %6, !llvm.loop !36

15:                                               ; preds = %6, %12, %2
  %16 = phi i8* [ %0, %2 ], [ %8, %6 ], [ %5, %12 ]
  %17 = ptrtoint i8* %16 to i64
  %18 = ptrtoint i8* %0 to i64
  %19 = sub i64 1, %18
  %20 = add i64 %19, %17
  %21 = call i8* @malloc(i64 noundef %20) #2
  %22 = icmp eq i8* %21, null
  br i1 %22, label %34, label %23

23:                                               ; preds = %15
  %24 = icmp eq i8* %16, %0
  br i1 %24, label %32, label %25

25:                                               ; preds = %23, %25
  %26 = phi i8* [ %30, %25 ], [ %21, %23 ]
  %27 = phi i8* [ %28, %25 ], [ %0, %23 ]
  %28 = getelementptr inbounds i8, i8* %27, i64 1
  %29 = load i8, i8* %27, align 1, !tbaa !4
  %30 = getelementptr inbounds i8, i8* %26, i64 1
  store i8 %29, i8* %26, align 1, !tbaa !4
  %31 = icmp eq i8* %28, %16
  br i1 %31, label %32, label %25, !llvm.loop !37

32:                                               ; preds = %25, %23
  %33 = phi i8* [ %21, %23 ], [ %30, %25 ]
  store i8 0, i8* %33, align 1, !tbaa !4
  br label %34

34:                                               ; preds = %15, %32
  %35 = phi i8* [ %21, %32 ], [ null, %15 ]
  ret i8* %35
}

; Function Attrs: nounwind
define weak dso_local i8* @memchr(i8* noundef %0, i32 noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = icmp eq i64 %2, 0
  br i1 %4, label %16, label %5

5:                                                ; preds = %3
  %6 = trunc i32 %1 to i8
  br label %7

7:                                                ; preds = %5, %12
  %8 = phi i8* [ %0, %5 ], [ %14, %12 ]
  %9 = phi i64 [ %2, %5 ], [ %13, %12 ]
  %10 = load i8, i8* %8, align 1, !tbaa !4
  %11 = icmp eq i8 %10, %6
  br i1 %11, label %16, label %12

12:                                               ; preds = %7
  %13 = add i64 %9, -1
  %14 = getelementptr inbounds i8, i8* %8, i64 1
  %15 = icmp eq i64 %13, 0
  br i1 %15, label %16, label %7, !llvm.loop !38

16:                                               ; preds = %7, %12, %3
  %17 = phi i8* [ null, %3 ], [ %8, %7 ], [ null, %12 ]
  ret i8* %17
}

; Function Attrs: nounwind
define weak dso_local i8* @memrchr(i8* noundef %0, i32 noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = icmp eq i64 %2, 0
  br i1 %4, label %17, label %5

5:                                                ; preds = %3
  %6 = getelementptr inbounds i8, i8* %0, i64 %2
  %7 = trunc i32 %1 to i8
  br label %10

8:                                                ; preds = %10
  %9 = icmp eq i64 %16, 0
  br i1 %9, label %17, label %10, !llvm.loop !39

10:                                               ; preds = %5, %8
  %11 = phi i8* [ %6, %5 ], [ %13, %8 ]
  %12 = phi i64 [ %2, %5 ], [ %16, %8 ]
  %13 = getelementptr inbounds i8, i8* %11, i64 -1
  %14 = load i8, i8* %13, align 1, !tbaa !4
  %15 = icmp eq i8 %14, %7
  %16 = add i64 %12, -1
  br i1 %15, label %17, label %8

17:                                               ; preds = %10, %8, %3
  %18 = phi i8* [ null, %3 ], [ %13, %10 ], [ null, %8 ]
  ret i8* %18
}

; Function Attrs: nounwind
define weak dso_local i8* @rawmemchr(i8* noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = trunc i32 %1 to i8
  br label %4

4:                                                ; preds = %4, %2
  %5 = phi i8* [ %0, %2 ], [ %8, %4 ]
  %6 = load i8, i8* %5, align 1, !tbaa !4
  %7 = icmp eq i8 %6, %3
  %8 = getelementptr inbounds i8, i8* %5, i64 1
  br i1 %7, label %9, label %4, !llvm.loop !40

9:                                                ; preds = %4
  ret i8* %5
}

; Function Attrs: nounwind
define weak dso_local i8* @memccpy(i8* noundef %0, i8* noundef %1, i32 noundef %2, i64 noundef %3) local_unnamed_addr #0 {
  %5 = icmp eq i64 %3, 0
  br i1 %5, label %19, label %6

6:                                                ; preds = %4
  %7 = trunc i32 %2 to i8
  br label %8

8:                                                ; preds = %6, %15
  %9 = phi i8* [ %1, %6 ], [ %17, %15 ]
  %10 = phi i8* [ %0, %6 ], [ %13, %15 ]
  %11 = phi i64 [ %3, %6 ], [ %16, %15 ]
  %12 = load i8, i8* %9, align 1, !tbaa !4
  %13 = getelementptr inbounds i8, i8* %10, i64 1
  store i8 %12, i8* %10, align 1, !tbaa !4
  %14 = icmp eq i8 %12, %7
  br i1 %14, label %19, label %15

15:                                               ; preds = %8
  %16 = add i64 %11, -1
  %17 = getelementptr inbounds i8, i8* %9, i64 1
  %18 = icmp eq i64 %16, 0
  br i1 %18, label %19, label %8, !llvm.loop !41

19:                                               ; preds = %8, %15, %4
  %20 = phi i8* [ null, %4 ], [ %13, %8 ], [ null, %15 ]
  ret i8* %20
}

; Function Attrs: nounwind
define weak dso_local i8* @bsearch(i8* noundef %0, i8* noundef %1, i64 noundef %2, i64 noundef %3, i32 (i8*, i8*)* noundef %4) local_unnamed_addr #0 {
  br label %6

6:                                                ; preds = %11, %5
  %7 = phi i64 [ %2, %5 ], [ %22, %11 ]
  %8 = phi i64 [ 0, %5 ], [ %24, %11 ]
  %9 = phi i8* [ undef, %5 ], [ %25, %11 ]
  %10 = icmp ugt i64 %7, %8
  br i1 %10, label %11, label %26

11:                                               ; preds = %6
  %12 = sub i64 %7, %8
  %13 = lshr i64 %12, 1
  %14 = add i64 %13, %8
  %15 = mul i64 %14, %3
  %16 = getelementptr inbounds i8, i8* %1, i64 %15
  %17 = call i32 %4(i8* noundef %0, i8* noundef %16) #2
  %18 = icmp eq i32 %17, 0
  %19 = icmp slt i32 %17, 0
  %20 = add i64 %14, 1
  %21 = select i1 %19, i64 %14, i64 %7
  %22 = select i1 %18, i64 %7, i64 %21
  %23 = icmp slt i32 %17, 1
  %24 = select i1 %23, i64 %8, i64 %20
  %25 = select i1 %18, i8* %16, i8* %9
  br i1 %18, label %26, label %6, !llvm.loop !42

26:                                               ; preds = %6, %11
  %27 = phi i8* [ %25, %11 ], [ null, %6 ]
  ret i8* %27
}

; Function Attrs: nounwind
define weak dso_local i32 @getopt_long(i32 noundef %0, i8** noundef %1, i8* noundef %2, %struct.option* noundef %3, i32* noundef %4) local_unnamed_addr #0 {
  %6 = icmp eq %struct.option* %3, null
  br i1 %6, label %29, label %7

7:                                                ; preds = %5, %27
  %8 = phi i64 [ %28, %27 ], [ 0, %5 ]
  %9 = getelementptr inbounds %struct.option, %struct.option* %3, i64 %8, i32 0
  %10 = load i8*, i8** %9, align 8, !tbaa !43
  %11 = icmp eq i8* %10, null
  br i1 %11, label %29, label %12

12:                                               ; preds = %7
  %13 = call i32 @fencewright_choose(i32 noundef 0, i32 noundef 1) #2
  %14 = icmp eq i32 %13, 0
  br i1 %14, label %27, label %15

15:                                               ; preds = %12
  %16 = and i64 %8, 4294967295
  %17 = icmp eq i32* %4, null
  br i1 %17, label %20, label %18

18:                                               ; preds = %15
  %19 = trunc i64 %8 to i32
  store i32 %19, i32* %4, align 4, !tbaa !47
  br label %20

20:                                               ; preds = %18, %15
  %21 = getelementptr inbounds %struct.option, %struct.option* %3, i64 %16, i32 2
  %22 = load i32*, i32** %21, align 8, !tbaa !48
  %23 = icmp eq i32* %22, null
  %24 = getelementptr inbounds %struct.option, %struct.option* %3, i64 %16, i32 3
  %25 = load i32, i32* %24, align 8, !tbaa !49
  br i1 %23, label %29, label %26

26:                                               ; preds = %20
  store i32 %25, i32* %22, align 4, !tbaa !47
  br label %29

27:                                               ; preds = %12
  %28 = add nuw i64 %8, 1
  br i1 %6, label %29, label %7, !llvm.loop !50

29:                                               ; preds = %27, %7, %20, %5, %26
  %30 = phi i32 [ 0, %26 ], [ undef, %5 ], [ %25, %20 ], [ undef, %7 ], [ undef, %27 ]
  %31 = phi i1 [ false, %26 ], [ true, %5 ], [ false, %20 ], [ true, %7 ], [ true, %27 ]
  br i1 %31, label %32, label %34

32:                                               ; preds = %29
  %33 = call i32 @getopt(i32 noundef %0, i8** noundef %1, i8* noundef %2) #2
  br label %34

34:                                               ; preds = %29, %32
  %35 = phi i32 [ %30, %29 ], [ %33, %32 ]
  ret i32 %35
}

declare i32 @fencewright_choose(i32 noundef, i32 noundef) local_unnamed_addr #1

declare i32 @getopt(i32 noundef, i8** noundef, i8* noundef) local_unnamed_addr #1

; Function Attrs: nounwind
define weak dso_local i32 @getopt_long_only(i32 noundef %0, i8** noundef %1, i8* noundef %2, %struct.option* noundef %3, i32* noundef %4) local_unnamed_addr #0 {
  %6 = call i32 @getopt_long(i32 noundef %0, i8** noundef %1, i8* noundef %2, %struct.option* noundef %3, i32* noundef %4) #3
  ret i32 %6
}

attributes #0 = { nounwind "frame-pointer"="none" "min-legal-vector-width"="0" "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { "frame-pointer"="none" "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nobuiltin nounwind "no-builtins" }
attributes #3 = { nobuiltin "no-builtins" }

!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{!"Debian clang version 14.0.6"}
!4 = !{!5, !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = distinct !{!7, !8, !9}
!8 = !{!"llvm.loop.mustprogress"}
!9 = !{!"llvm.loop.unroll.disable"}
!10 = distinct !{!10, !8, !9}
!11 = distinct !{!11, !8, !9}
!12 = distinct !{!12, !8, !9}
!13 = distinct !{!13, !8, !9}
!14 = distinct !{!14, !8, !9}
!15 = distinct !{!15, !8, !9}
!16 = distinct !{!16, !8, !9}
!17 = distinct !{!17, !8, !9}
!18 = distinct !{!18, !8, !9}
!19 = distinct !{!19, !9}
!20 = distinct !{!20, !8, !9}
!21 = distinct !{!21, !9}
!22 = distinct !{!22, !8, !9}
!23 = distinct !{!23, !8, !9}
!24 = distinct !{!24, !9}
!25 = distinct !{!25, !9}
!26 = distinct !{!26, !9}
!27 = distinct !{!27, !9}
!28 = distinct !{!28, !8, !9}
!29 = distinct !{!29, !9}
!30 = distinct !{!30, !8, !9}
!31 = distinct !{!31, !8, !9}
!32 = distinct !{!32, !8, !9}
!33 = distinct !{!33, !8, !9}
!34 = distinct !{!34, !8, !9}
!35 = distinct !{!35, !8, !9}
!36 = distinct !{!36, !8, !9}
!37 = distinct !{!37, !8, !9}
!38 = distinct !{!38, !8, !9}
!39 = distinct !{!39, !8, !9}
!40 = distinct !{!40, !8, !9}
!41 = distinct !{!41, !8, !9}
!42 = distinct !{!42, !8, !9}
!43 = !{!44, !45, i64 0}
!44 = !{!"option", !45, i64 0, !46, i64 8, !45, i64 16, !46, i64 24}
!45 = !{!"any pointer", !5, i64 0}
!46 = !{!"int", !5, i64 0}
!47 = !{!46, !46, i64 0}
!48 = !{!44, !45, i64 16}
!49 = !{!44, !46, i64 24}
!50 = distinct !{!50, !8, !9}
